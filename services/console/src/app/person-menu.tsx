import { ActionIcon, Menu, Modal } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Session } from "../api/session.ts";
import { useMay } from "../api/use-control-plane.ts";
import { Icon } from "../parts/icon.tsx";
import { lazyPart } from "../parts/lazy-part.tsx";
import { DensityItem } from "./density.tsx";
import { WithOperations } from "./with-operations.tsx";

const OwnSessions = lazyPart(
  async () => await import("../pages/system/own-sessions.tsx"),
  (module) => module.OwnSessions,
  SessionsFailure,
);

interface PersonMenuProps {
  readonly session: Session;
  readonly onLeave: () => void;
}

/** Menu of the signed-in person: density, sessions, sign-out. */
export function PersonMenu({ session, onLeave }: PersonMenuProps) {
  const [isListing, setIsListing] = useState(false);
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon aria-label={`Signed in as ${session.name}`}>
            <Icon name="person" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {session.name} · {session.role}
          </Menu.Label>
          <DensityItem />
          <WithOperations>
            <SessionsItem onClick={() => setIsListing(true)} />
          </WithOperations>
          <Menu.Item onClick={onLeave}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isListing && (
        <WithOperations>
          <OwnSessions onClose={() => setIsListing(false)} />
        </WithOperations>
      )}
    </>
  );
}

function SessionsItem({ onClick }: { readonly onClick: () => void }) {
  if (!useMay("svc_list_console_sessions")) return null;
  return <Menu.Item onClick={onClick}>Your sessions</Menu.Item>;
}

function SessionsFailure({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  return (
    <Modal opened onClose={onClose} title="Your sessions">
      {children}
    </Modal>
  );
}

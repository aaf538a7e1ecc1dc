import { Group, Stack, Text } from "@mantine/core";
import { useMemo } from "react";
import { useConsoleSessions } from "../../api/reads.ts";
import type { ConsoleSession } from "../../api/types.ts";
import { useChange, useMay, useSignedIn } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { closeButton, SidePanel } from "../../parts/side-panel.tsx";
import { Status } from "../../parts/status.tsx";
import { EndButton, placeColumns } from "./console-sessions.tsx";

interface OwnSessionsProps {
  readonly onClose: () => void;
}

/** The person's sessions in all browsers, with buttons to end one, or all but this one. */
export function OwnSessions({ onClose }: OwnSessionsProps) {
  const { session } = useSignedIn();
  const mayEnd = useMay("svc_end_console_session");
  const columns = useMemo(() => columnsFor(session.session_id, mayEnd), [session.session_id, mayEnd]);
  return (
    <SidePanel onClose={onClose} closeButtonProps={closeButton} title="Your sessions" size="xl">
      <QueryView query={useConsoleSessions()} lines={3}>
        {({ console_sessions: all }) => {
          // Owners of the whole gateway get everybody's sessions.
          const own = all.filter(({ admin_key_id: key }) => key === session.admin_key_id);
          const others = own.filter(({ id }) => id !== session.session_id);
          return (
            <Stack gap="sm">
              <Group justify="space-between">
                <Text size="sm">Browsers in which {session.name} is signed in.</Text>
                {mayEnd && others.length > 0 && <EndOthers others={others} />}
              </Group>
              <DataTable label="Your sessions" columns={columns} rows={own} rowKey={({ id }) => String(id)} />
            </Stack>
          );
        }}
      </QueryView>
    </SidePanel>
  );
}

function columnsFor(thisId: number, mayEnd: boolean): readonly Column<ConsoleSession>[] {
  const actions = (session: ConsoleSession) =>
    session.id === thisId ? <Status kind="good">This one</Status> : mayEnd && <EndButton session={session} />;
  return [...placeColumns, { id: "actions", header: "", isEnd: true, cell: actions }];
}

/** Ends all sessions but one individually: operations end one session, or all of a key. */
function EndOthers({ others }: { readonly others: readonly ConsoleSession[] }) {
  const end = useChange("svc_end_console_session");
  const endAll = async () => {
    for (const { id } of others) await end.mutateAsync({ session_id: id });
  };
  return (
    <ConfirmButton
      label="End all others"
      done={others.length === 1 ? "The other session is ended." : `${others.length} other sessions are ended.`}
      consequence={`${others.length === 1 ? "One other browser has" : `${others.length} other browsers have`} to sign in again. This one stays signed in.`}
      onConfirm={endAll}
    />
  );
}

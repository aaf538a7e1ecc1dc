import { Badge } from "@mantine/core";
import { Icon, type IconName } from "./icon.tsx";

export type StatusKind = "good" | "bad" | "warning" | "off";

const looks: Readonly<Record<StatusKind, { readonly color: string; readonly icon: IconName }>> = {
  good: { color: "green", icon: "check" },
  bad: { color: "red", icon: "cross" },
  warning: { color: "yellow", icon: "warning" },
  off: { color: "gray", icon: "moon" },
};

/** A state as colour, icon and word, so that none of the three is needed alone. */
export function Status({ kind, children }: { readonly kind: StatusKind; readonly children: string | number }) {
  const { color, icon } = looks[kind];
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={12} />} className="console-status" data-kind={kind}>
      {children}
    </Badge>
  );
}

/** Active or not, of tokens, endpoints and the like. */
export function ActiveStatus({ isActive }: { readonly isActive: boolean }) {
  return <Status kind={isActive ? "good" : "off"}>{isActive ? "Active" : "Inactive"}</Status>;
}

/** An HTTP status; 499 is a client that left. */
export function HttpStatus({ status }: { readonly status: number | null }) {
  if (status === null) return <Status kind="bad">No reply</Status>;
  if (status >= 500) return <Status kind="bad">{status}</Status>;
  return <Status kind={status >= 400 ? "warning" : "good"}>{status}</Status>;
}

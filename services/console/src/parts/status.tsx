import { Icon, type IconName } from "./icon.tsx";

export type StatusKind = "good" | "bad" | "warning" | "off";

const icons: Readonly<Record<StatusKind, IconName>> = { good: "check", bad: "cross", warning: "warning", off: "moon" };

/** A state by colour, icon and word, none of which is needed alone. */
export function Status({ kind, children }: { readonly kind: StatusKind; readonly children: string | number }) {
  return (
    <span className="console-status" data-kind={kind}>
      <Icon name={icons[kind]} size={12} />
      {children}
    </span>
  );
}

/** Active or inactive, for tokens, endpoints and similar. */
export function ActiveStatus({ isActive }: { readonly isActive: boolean }) {
  return <Status kind={isActive ? "good" : "off"}>{isActive ? "Active" : "Inactive"}</Status>;
}

/** An HTTP status; 499: the client left. */
export function HttpStatus({ status }: { readonly status: number | null }) {
  if (status === null) return <Status kind="bad">No reply</Status>;
  if (status >= 500) return <Status kind="bad">{status}</Status>;
  return <Status kind={status >= 400 ? "warning" : "good"}>{status}</Status>;
}

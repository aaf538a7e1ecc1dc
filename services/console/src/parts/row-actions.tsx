import type { ReactNode } from "react";
import type { Arguments } from "../api/control-plane.ts";
import type { OperationName } from "../api/types.ts";
import { useChange, useMay } from "../api/use-control-plane.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { RowButton, RowButtons } from "./row-button.tsx";

type Removable = OperationName extends infer Name
  ? Name extends `svc_delete_${infer Resource}`
    ? Resource
    : never
  : never;

interface RowActionsProps {
  /** The resource, whose operations are `svc_update_…` and `svc_delete_…`. */
  readonly resource: Removable;
  /** The argument by which they name the row's. */
  readonly args: Arguments;
  readonly onEdit: () => void;
  /** Effects of the deletion, in words. */
  readonly consequence: string;
  /** Said after the deletion. */
  readonly done: string;
  /** To be typed before the deletion, where it cannot be undone. */
  readonly name?: string;
  /** Further buttons, before these. */
  readonly children?: ReactNode;
}

/** Edit and Delete of a row, as far as the person's role has them. */
export function RowActions({ resource, args, onEdit, children, ...asked }: RowActionsProps) {
  const { mutateAsync } = useChange(`svc_delete_${resource}`);
  const mayEdit = useMay(`svc_update_${resource}`);
  const mayRemove = useMay(`svc_delete_${resource}`);
  return (
    <RowButtons>
      {children}
      {mayEdit && <RowButton onClick={onEdit}>Edit</RowButton>}
      {mayRemove && <ConfirmButton label="Delete" {...asked} onConfirm={async () => await mutateAsync(args)} />}
    </RowButtons>
  );
}

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
  /** The resource in the names `svc_update_…` and `svc_delete_…`. */
  readonly resource: Removable;
  /** Arguments that identify the row's item. */
  readonly args: Arguments;
  readonly onEdit: () => void;
  /** Effects of the deletion, for people. */
  readonly consequence: string;
  /** Message after the deletion. */
  readonly done: string;
  /** Name to type before an irreversible deletion. */
  readonly name?: string;
  /** Further buttons, in front of these. */
  readonly children?: ReactNode;
}

/** Edit and Delete buttons of a row, as permitted by the role. */
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

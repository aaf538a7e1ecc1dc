import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";
import type { Arguments } from "../api/control-plane.ts";
import { useChange, useMay } from "../api/use-control-plane.ts";
import { ConfirmButton } from "./confirm-button.tsx";

export interface RowActionsProps {
  readonly edit: { readonly operation: string; readonly onClick: () => void };
  readonly remove: {
    readonly operation: string;
    readonly args: Arguments;
    /** Effects of the deletion, in words. */
    readonly consequence: string;
    /** To be typed first, where it cannot be undone. */
    readonly name?: string;
  };
  /** Further buttons, before these. */
  readonly children?: ReactNode;
}

/** Edit and Delete of a row, as far as the person's role has them. */
export function RowActions({ edit, remove, children }: RowActionsProps) {
  const { operation, args, ...asked } = remove;
  const { mutateAsync } = useChange(operation);
  const mayEdit = useMay(edit.operation);
  const mayRemove = useMay(operation);
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {children}
      {mayEdit && (
        <Button variant="default" onClick={edit.onClick}>
          Edit
        </Button>
      )}
      {mayRemove && <ConfirmButton label="Delete" {...asked} onConfirm={async () => await mutateAsync(args)} />}
    </Group>
  );
}

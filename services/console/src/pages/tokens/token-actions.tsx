import type { Token } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import type { ShownToken } from "./new-token.tsx";

interface TokenActionsProps {
  readonly token: Token;
  readonly onRotated: (token: ShownToken) => void;
  readonly onEdit: () => void;
}

/** Actions on one token. */
export function TokenActions({ token: { id, name, is_active }, onRotated, onEdit }: TokenActionsProps) {
  const rotate = useChange("svc_rotate_token");
  const revoke = useChange("svc_revoke_token");
  const remove = useChange("svc_delete_token");
  const may = {
    edit: useMay("svc_update_token"),
    rotate: useMay("svc_rotate_token"),
    revoke: useMay("svc_revoke_token"),
    remove: useMay("svc_delete_token"),
  };
  return (
    <RowButtons>
      {is_active && may.edit && <RowButton onClick={onEdit}>Edit</RowButton>}
      {is_active && may.rotate && (
        <ConfirmButton
          label="Rotate"
          done={`${name} has a new plaintext.`}
          consequence={`${name} gets a new plaintext; the current one stops working immediately.`}
          onConfirm={async () => onRotated(await rotate.mutateAsync({ token_id: id }))}
          isDanger={false}
        />
      )}
      {is_active && may.revoke && (
        <ConfirmButton
          label="Revoke"
          done={`${name} is revoked.`}
          consequence={`Every client that uses ${name} is refused from now on, and its open streams end. This cannot be undone.`}
          onConfirm={async () => await revoke.mutateAsync({ token_id: id })}
        />
      )}
      {!is_active && may.remove && (
        <ConfirmButton
          label="Delete"
          done={`${name} is deleted.`}
          consequence={`${name} disappears from this list. Log entries are kept.`}
          onConfirm={async () => await remove.mutateAsync({ token_id: id })}
        />
      )}
    </RowButtons>
  );
}

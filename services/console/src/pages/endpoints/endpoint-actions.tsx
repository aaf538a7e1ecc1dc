import type { Endpoint } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { HistoryButton } from "../../parts/history-button.tsx";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import { RowSwitch } from "../../parts/row-switch.tsx";
import { ActiveStatus } from "../../parts/status.tsx";
import { useSwitch } from "../../parts/use-switch.ts";

/** Turns an endpoint on and off. */
export function ActiveSwitch({ endpoint: { uuid, slug, is_active } }: { readonly endpoint: Endpoint }) {
  const { mayChange, isPending, change } = useSwitch({
    operation: "svc_set_endpoint_active",
    args: { endpoint: uuid },
    flag: "is_active",
    words: { on: `${slug} is active.`, off: `${slug} is inactive: its calls get 404.` },
  });
  if (!mayChange) return <ActiveStatus isActive={is_active} />;
  return (
    <RowSwitch
      label={`${slug} is active`}
      isOn={is_active}
      isDisabled={isPending}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

interface EndpointActionsProps {
  readonly endpoint: Endpoint;
  readonly onEdit: () => void;
  readonly onTry: () => void;
}

/** Actions on one endpoint. */
export function EndpointActions({ endpoint: { uuid, slug, project }, onEdit, onTry }: EndpointActionsProps) {
  const remove = useChange("svc_delete_endpoint");
  const mayEdit = useMay("svc_update_endpoint");
  const mayRemove = useMay("svc_delete_endpoint");
  return (
    <RowButtons>
      <RowButton onClick={onTry}>Try it</RowButton>
      {mayEdit && <RowButton onClick={onEdit}>Edit</RowButton>}
      <HistoryButton name={slug} kind="endpoint" project={project} identity={["endpoint", uuid]} />
      {mayRemove && (
        <ConfirmButton
          label="Delete"
          done={`${slug} is deleted.`}
          name={slug}
          consequence={`Calls to ${slug} will get 404. This cannot be undone.`}
          onConfirm={async () => await remove.mutateAsync({ endpoint: uuid })}
        />
      )}
    </RowButtons>
  );
}

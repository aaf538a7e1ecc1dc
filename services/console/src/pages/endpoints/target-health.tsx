import { useProviders } from "../../api/reads.ts";
import type { Provider, ProviderHealth, Target } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { Status } from "../../parts/status.tsx";

const refetchIntervalMs = 5_000;

/** Recent health of a target, if the person may see it. */
export function TargetHealth({ target: { provider, model } }: { readonly target: Target }) {
  const { data: providers } = useProviders(useMay("svc_list_providers"));
  const { data: health } = useRead(
    "svc_get_provider_health",
    {},
    { enabled: useMay("svc_get_provider_health"), refetchIntervalMs },
  );
  const known = providers?.providers.find(({ name }) => name === provider);
  if (provider === "" || providers === undefined) return null;
  if (known === undefined) return <Status kind="bad">No such provider</Status>;
  return <State known={known} health={health?.providers.find((each) => each.provider === provider)} model={model} />;
}

interface StateProps {
  readonly known: Provider;
  readonly health: ProviderHealth | undefined;
  readonly model: string;
}

function State({ known, health, model }: StateProps) {
  if (!known.enabled) return <Status kind="off">Disabled</Status>;
  const asked = health?.models?.find((each) => each.model === model);
  if (health === undefined || asked === undefined) return <Status kind="off">No recent calls</Status>;
  if (asked.state === "closed") return <Status kind="good">Healthy</Status>;
  return <Status kind="bad">{asked.last_failure ?? asked.state}</Status>;
}

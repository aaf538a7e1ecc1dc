import { Button, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Provider } from "../../api/types.ts";
import { operationKey, useSignedIn } from "../../api/use-control-plane.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { RowDialog } from "../../parts/row-dialog.tsx";
import { RowSwitch } from "../../parts/row-switch.tsx";
import { useSwitch } from "../../parts/use-switch.ts";
import { type Affected, findAffected } from "./find-affected.ts";

/** Disables a provider after showing the affected endpoints; enables it at once. */
export function EnabledSwitch({ provider: { name, enabled } }: { readonly provider: Provider }) {
  const { mayChange, isPending, change } = useProviderSwitch(name);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <RowSwitch
        label={`${name} is enabled`}
        isOn={enabled}
        isDisabled={!mayChange || isPending}
        onChange={(isOn) => (isOn ? void change(true) : setIsAsking(true))}
      />
      {isAsking && (
        <RowDialog onClose={() => setIsAsking(false)} title={`Disable ${name}?`}>
          <Consequences provider={name} onDone={() => setIsAsking(false)} />
        </RowDialog>
      )}
    </>
  );
}

function useProviderSwitch(provider: string) {
  return useSwitch({
    operation: "svc_set_provider_enabled",
    args: { provider },
    flag: "enabled",
    words: { on: `${provider} is enabled.`, off: `${provider} is disabled: it gets no calls.` },
  });
}

function Consequences({ provider, onDone }: { readonly provider: string; readonly onDone: () => void }) {
  const { controlPlane } = useSignedIn();
  const { isPending, change } = useProviderSwitch(provider);
  const query = useQuery({
    queryKey: operationKey("svc_list_endpoints", { provider }),
    queryFn: async () => await findAffected(controlPlane, provider),
  });
  const disable = async () => {
    if (await change(false)) onDone();
  };
  return (
    <QueryView query={query}>
      {(affected) => (
        <Stack>
          <AffectedList
            text="stop working: their calls get 503."
            affected={affected.filter(({ others }) => others.length === 0)}
          />
          <AffectedList
            text="continue with their other targets."
            affected={affected.filter(({ others }) => others.length > 0)}
          />
          {affected.length === 0 && <Text size="sm">No active endpoint uses it.</Text>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onDone}>
              Keep it
            </Button>
            <Button color="red.8" loading={isPending} onClick={() => void disable()}>
              Disable
            </Button>
          </Group>
        </Stack>
      )}
    </QueryView>
  );
}

const namedMax = 20;

function AffectedList({ text, affected }: { readonly text: string; readonly affected: readonly Affected[] }) {
  if (affected.length === 0) return null;
  const rest = affected.length - namedMax;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {affected.length === 1 ? "1 endpoint:" : `${affected.length} endpoints`} {text}
      </Text>
      <List size="sm">
        {affected.slice(0, namedMax).map(({ project, slug, others }) => (
          <List.Item key={`${project}/${slug}`}>
            {project}: {slug}
            {others.length > 0 && ` (${others.join(", ")})`}
          </List.Item>
        ))}
        {rest > 0 && <List.Item>and {rest} more</List.Item>}
      </List>
    </Stack>
  );
}

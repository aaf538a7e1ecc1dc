import { Button, Group, PasswordInput, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Project } from "../api/types.ts";
import { useChange, useMay } from "../api/use-control-plane.ts";
import { notifyFailed } from "./notify.ts";

/** Key of the query cache, and so in memory only; signing out clears it. */
const keyOf = (project: string) => ["playground-token", project] as const;
const lifeMs = 3_600_000;
const scopes: Readonly<Record<Project["project_type"], readonly string[]>> = {
  ai_gateway: ["chat"],
  ai_wrapper: ["chat", "models"],
  api_gateway: ["proxy"],
  mcp_gateway: ["mcp"],
};

/** The token for trying a project out; empty: none yet. */
export function usePlaygroundToken(project: string): string {
  const { data } = useQuery({ queryKey: keyOf(project), queryFn: () => "", staleTime: Infinity, gcTime: lifeMs });
  return data ?? "";
}

/** Accepts a token, or creates one that expires after an hour. Kept in the page's memory only. */
export function PlaygroundToken({ project }: { readonly project: Project }) {
  const { uuid, project_type } = project;
  const cache = useQueryClient();
  const token = usePlaygroundToken(uuid);
  const create = useChange("svc_create_token");
  const mayCreate = useMay("svc_create_token");
  const set = (value: string) => cache.setQueryData(keyOf(uuid), value);
  const make = () =>
    create.mutate(
      {
        project: uuid,
        name: "console playground",
        environment: "test",
        scopes: scopes[project_type],
        expires_at: new Date(Date.now() + lifeMs).toISOString(),
      },
      { onSuccess: (made) => set(made.token), onError: notifyFailed },
    );
  return (
    <Group align="flex-end" gap="sm">
      <PasswordInput
        label="Token of this project"
        placeholder="svc_live_…"
        value={token}
        onChange={(event) => set(event.currentTarget.value)}
        autoComplete="off"
        w={320}
        maw="100%"
      />
      {mayCreate && token === "" && (
        <Button variant="default" loading={create.isPending} onClick={make}>
          Create one for an hour
        </Button>
      )}
      <Text size="xs" c="dimmed" mb={6}>
        Calls are real: limits, guardrails, budget and log apply.
      </Text>
    </Group>
  );
}

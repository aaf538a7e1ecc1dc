import { Group, List, Paper, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ArgumentsOf, ListName, Project } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { Status } from "../../parts/status.tsx";

interface Step {
  readonly label: string;
  readonly to:
    | "/providers"
    | "/projects/$project/endpoints"
    | "/projects/$project/upstreams"
    | "/projects/$project/tokens";
  /** Undefined: unknown yet. */
  readonly isDone: boolean | undefined;
}

/** Checklist for a project before its first call; hidden once complete, or without the rights. */
export function FirstSteps({ project: { uuid, project_type } }: { readonly project: Project }) {
  const mayMake = useMay("svc_create_token");
  const isAi = project_type === "ai_gateway" || project_type === "ai_wrapper";
  const isMcp = project_type === "mcp_gateway";
  const needsProvider = useMay("svc_list_providers") && isAi;
  const args = { project: uuid };
  const providers = useHasSome("svc_list_providers", {}, mayMake && needsProvider);
  const endpoints = useHasSome("svc_list_endpoints", args, mayMake && !isMcp);
  const upstreams = useHasSome("svc_list_upstreams", args, mayMake && isMcp);
  const tokens = useHasSome("svc_list_tokens", args, mayMake);
  const steps: readonly Step[] = [
    ...(needsProvider ? [{ label: "A provider, with its key", to: "/providers", isDone: providers } as const] : []),
    ...(isMcp
      ? [{ label: "An upstream MCP server", to: "/projects/$project/upstreams", isDone: upstreams } as const]
      : [{ label: "An endpoint", to: "/projects/$project/endpoints", isDone: endpoints } as const]),
    { label: "A token; it comes with first calls to paste", to: "/projects/$project/tokens", isDone: tokens },
  ];
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  if (!mayMake || !isKnown || steps.every(({ isDone }) => isDone)) return null;
  return (
    <Paper className="console-panel" p="md" component="section" aria-label="First steps">
      <Title order={2} mb="xs">
        First steps
      </Title>
      <List type="ordered" spacing="xs" size="sm">
        {steps.map(({ label, to, isDone }) => (
          <List.Item key={to}>
            <Group gap="xs">
              <Link to={to} params={args} className="console-link">
                {label}
              </Link>
              {isDone === true && <Status kind="good">Done</Status>}
            </Group>
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

function useHasSome<Name extends ListName>(
  operation: Name,
  args: ArgumentsOf<Name>,
  enabled: boolean,
): boolean | undefined {
  const { data } = useRead(operation, { ...args, limit: 1 }, { enabled });
  return data && Object.values(data).some((list) => Array.isArray(list) && list.length > 0);
}

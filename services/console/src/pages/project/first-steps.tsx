import { Group, List, Paper, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ArgumentsOf, ListName, ProjectType } from "../../api/types.ts";
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
  readonly isDone: boolean | "unreadable" | undefined;
}

const noSteps: readonly Step[] = [];

/**
 * Steps to a project's first call; none once all are done, without the rights, or where the lists cannot be read. Undefined while
 * unknown.
 * @param type undefined while unknown
 */
export function useFirstSteps(project: string, type: ProjectType | undefined): readonly Step[] | undefined {
  const mayMake = useMay("svc_create_token");
  const isAi = type === "ai_gateway" || type === "ai_wrapper";
  const isMcp = type === "mcp_gateway";
  const isRead = mayMake && type !== undefined;
  const needsProvider = useMay("svc_list_providers") && isAi;
  const args = { project };
  const providers = useHasSome("svc_list_providers", {}, isRead && needsProvider);
  const endpoints = useHasSome("svc_list_endpoints", args, isRead && !isMcp);
  const upstreams = useHasSome("svc_list_upstreams", args, isRead && isMcp);
  const tokens = useHasSome("svc_list_tokens", args, isRead);
  const steps: readonly Step[] = [
    ...(needsProvider ? [{ label: "A provider, with its key", to: "/providers", isDone: providers } as const] : []),
    ...(isMcp
      ? [{ label: "An upstream MCP server", to: "/projects/$project/upstreams", isDone: upstreams } as const]
      : [{ label: "An endpoint", to: "/projects/$project/endpoints", isDone: endpoints } as const]),
    { label: "A token; it comes with first calls to paste", to: "/projects/$project/tokens", isDone: tokens },
  ];
  if (!mayMake || steps.some(({ isDone }) => isDone === "unreadable")) return noSteps;
  if (steps.some(({ isDone }) => isDone === undefined)) return undefined;
  return steps.every(({ isDone }) => isDone) ? noSteps : steps;
}

interface FirstStepsProps {
  readonly project: string;
  readonly steps: readonly Step[];
}

/** Checklist for a project before its first call. */
export function FirstSteps({ project, steps }: FirstStepsProps) {
  if (steps.length === 0) return null;
  return (
    <Paper className="console-panel" p="md" component="section" aria-label="First steps">
      <Title order={2} mb="xs">
        First steps
      </Title>
      <List type="ordered" spacing="xs" size="sm">
        {steps.map(({ label, to, isDone }) => (
          <List.Item key={to}>
            <Group gap="xs">
              <Link to={to} params={{ project }} className="console-link">
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

function useHasSome<Name extends ListName>(operation: Name, args: ArgumentsOf<Name>, enabled: boolean): Step["isDone"] {
  const { data, failureCount } = useRead(operation, { ...args, limit: 1 }, { enabled });
  if (data === undefined) return failureCount > 0 ? "unreadable" : undefined;
  return Object.values(data).some((list) => Array.isArray(list) && list.length > 0);
}

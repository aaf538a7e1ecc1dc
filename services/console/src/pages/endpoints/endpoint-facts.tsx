import { Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Endpoint, Project } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatCount, formatDuration, toLabel } from "../../parts/format.ts";
import { baseUrlOf } from "../../parts/snippets.ts";
import { Time } from "../../parts/time.tsx";
import { checksInForce } from "../guardrails/checks-in-force.ts";

interface EndpointFactsProps {
  readonly endpoint: Endpoint;
  readonly project: Project;
}

type Fact = readonly [name: string, value: ReactNode];

/** An endpoint's address for clients, and its settings that differ from the defaults. */
export function EndpointFacts({ endpoint, project }: EndpointFactsProps) {
  const { created_at, updated_at } = endpoint;
  const facts: readonly Fact[] = [
    addressOf(endpoint, project),
    ...(endpoint.upstream_url === undefined ? chatFacts(endpoint, project) : apiFacts(endpoint)),
    ...timeFacts(endpoint),
    ["Guardrails", <Guardrails key="guardrails" endpoint={endpoint} />],
    ["Created", <Time key="created" at={created_at} />],
    ["Changed", <Time key="changed" at={updated_at} />],
  ];
  return <Facts facts={facts} />;
}

/** All endpoints of a Wrapper share one address; clients name them as the model. */
function addressOf({ slug }: Endpoint, project: Project): Fact {
  const base = baseUrlOf(project);
  return project.project_type === "ai_wrapper"
    ? ["Model", <CopyText key="model" text={slug} label="Copy the model's name" />]
    : ["Address", <CopyText key="address" text={`${base}/${slug}`} label="Copy the address" />];
}

function chatFacts(endpoint: Endpoint, { project_type: type }: Project): readonly Fact[] {
  const { streaming_enabled, expose_as_mcp_tool, mid_stream, hold_tokens } = endpoint;
  const { max_request_tokens, max_response_tokens, parameters, allowed_parameters } = endpoint;
  return [
    ["Streams", streaming_enabled === true ? "yes" : "no"],
    ...(type === "ai_gateway" ? [["MCP tool", expose_as_mcp_tool === true ? "yes" : "no"] as const] : []),
    ...(typeof max_request_tokens === "number"
      ? [["Max request tokens", `${formatCount(max_request_tokens)} tokens`] as const]
      : []),
    ...(typeof max_response_tokens === "number"
      ? [["Max response tokens", `${formatCount(max_response_tokens)} tokens`] as const]
      : []),
    ...(streaming_enabled === true && mid_stream !== undefined
      ? [["Interrupted stream", breakText(mid_stream, hold_tokens)] as const]
      : []),
    ...(parameters === null || parameters === undefined ? [] : [["Parameters", JSON.stringify(parameters)] as const]),
    ...(allowed_parameters === null || allowed_parameters === undefined || allowed_parameters.length === 0
      ? []
      : [["Callers may also send", allowed_parameters.join(", ")] as const]),
  ];
}

function breakText(mode: NonNullable<Endpoint["mid_stream"]>, held: number | null | undefined): string {
  if (mode === "error") return "ends with an error";
  if (mode === "continue") return "is continued by the next target";
  const part = typeof held === "number" ? `its first ${formatCount(held)} tokens are there` : "the answer is complete";
  return `is not begun: nothing is sent until ${part}`;
}

const authTexts = {
  none: "none",
  header: "a header",
  basic: "user and password",
  oauth: "an OAuth connection",
} as const;

function apiFacts({ upstream_url, allowed_methods = [], auth }: Endpoint): readonly Fact[] {
  return [
    ["Forwards to", upstream_url],
    ["Methods", allowed_methods.join(", ")],
    ...(auth === undefined ? [] : [["Authentication", auth.name ?? authTexts[auth.type]] as const]),
  ];
}

/** The endpoint's time-outs by name. */
function timeFacts(endpoint: Endpoint): readonly Fact[] {
  return Object.entries(endpoint).flatMap(([name, ms]): readonly Fact[] => {
    const isTimeout = name.endsWith("timeout_ms") && typeof ms === "number";
    return isTimeout ? [[toLabel(name.replace(/_ms$/, "")), formatDuration(ms)]] : [];
  });
}

function Guardrails({ endpoint: { uuid, project } }: { readonly endpoint: Endpoint }) {
  const mayRead = useMay("svc_get_guardrails");
  const { data } = useRead("svc_get_guardrails", { endpoint: uuid }, { enabled: mayRead });
  if (!mayRead) return "not shown to your role";
  const checks = data === undefined ? ["…"] : checksInForce(data);
  const isInherited = checks.length > 0 && data?.["source"] === "project";
  return (
    <Group gap="xs">
      {checks.length === 0 ? "none" : checks.join(", ")}
      {isInherited && " (of its project)"}
      <Link
        to="/projects/$project/guardrails"
        params={{ project }}
        search={{ endpoint: uuid }}
        className="console-link"
        aria-label="Open the policy"
      >
        Policy
      </Link>
    </Group>
  );
}

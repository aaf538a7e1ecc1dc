import type { CommandValue, OperationCommand } from "../command.ts";
import { endpoint, owner, page, project } from "./shared.ts";

const endpointSettings: readonly CommandValue[] = [
  { name: "target", kind: "targets", argument: "targets", description: "provider/model; repeatable, tried in order." },
  { name: "description", kind: "text", description: "Shown to MCP clients." },
  { name: "system-prompt", kind: "text", description: "Put before every conversation." },
  { name: "parameters", kind: "json", description: "Model parameters as JSON, or @file." },
  { name: "streaming", kind: "flag", argument: "streaming_enabled", description: "Honours stream: true." },
  { name: "mcp-tool", kind: "flag", argument: "expose_as_mcp_tool", description: "Is a tool on the MCP route." },
  { name: "max-request-tokens", kind: "integer", description: "Cap of one request." },
  { name: "monthly-budget-usd", kind: "number", description: "US dollars a month." },
  { name: "input-schema", kind: "json", description: "JSON Schema of requests, or @file." },
  { name: "output-schema", kind: "json", description: "JSON Schema of answers, or @file." },
  { name: "timeout-ms", kind: "integer", description: "Bound of one attempt, milliseconds." },
  { name: "upstream-url", kind: "text", description: "Of an api_gateway endpoint: where calls go." },
  {
    name: "method",
    kind: "texts",
    argument: "allowed_methods",
    description: "Of an api_gateway endpoint; repeatable.",
  },
  { name: "auth", kind: "json", description: "Of an api_gateway endpoint: its own authorisation as JSON, or @file." },
];

export const endpointCommands: readonly OperationCommand[] = [
  {
    path: ["endpoint", "create"],
    description: "Creates an endpoint.",
    operation: "svc_create_endpoint",
    words: [project, { name: "slug", kind: "text", description: "Its name in the path." }],
    options: endpointSettings,
  },
  {
    path: ["endpoint", "list"],
    description: "Lists a project's endpoints.",
    operation: "svc_list_endpoints",
    words: [project],
    options: page,
    table: { list: "endpoints", columns: ["uuid", "slug", "is_active", "targets", "upstream_url"] },
  },
  { path: ["endpoint", "get"], description: "Shows an endpoint.", operation: "svc_get_endpoint", words: [endpoint] },
  {
    path: ["endpoint", "update"],
    description: "Changes an endpoint; what is not named stays.",
    operation: "svc_update_endpoint",
    words: [endpoint],
    options: [{ name: "slug", kind: "text", description: "Its name in the path." }, ...endpointSettings],
  },
  {
    path: ["endpoint", "activate"],
    description: "Switches an endpoint on.",
    operation: "svc_set_endpoint_active",
    words: [endpoint],
    fixed: { is_active: true },
  },
  {
    path: ["endpoint", "deactivate"],
    description: "Switches an endpoint off.",
    operation: "svc_set_endpoint_active",
    words: [endpoint],
    fixed: { is_active: false },
  },
  {
    path: ["endpoint", "delete"],
    description: "Deletes an endpoint.",
    operation: "svc_delete_endpoint",
    words: [endpoint],
  },
  {
    path: ["guardrails", "get"],
    description: "Shows the policy in force.",
    operation: "svc_get_guardrails",
    words: [owner],
  },
  {
    path: ["guardrails", "set"],
    description: "Replaces a policy; checks that are not named are off.",
    operation: "svc_set_guardrails",
    words: [owner],
    options: [
      { name: "pii", kind: "json", description: "As JSON, or @file." },
      { name: "prompt-injection", kind: "json", description: "As JSON, or @file." },
      { name: "keyword", kind: "texts", argument: "keywords", description: "A word or phrase; repeatable." },
      { name: "patterns", kind: "json", description: "Own patterns as JSON, or @file." },
      { name: "max-content-length", kind: "integer", description: "Code points of all texts." },
      { name: "apply-to-output", kind: "flag", description: "Checks answers as well." },
      { name: "on-unavailable", kind: "text", description: "closed or open." },
      { name: "clear", kind: "flag", description: "Removes the policy." },
    ],
  },
  {
    path: ["guardrails", "test"],
    description: "Tries a text against the policy in force.",
    operation: "svc_test_guardrails",
    words: [owner, { name: "text", kind: "text", description: "The text to try." }],
  },
];

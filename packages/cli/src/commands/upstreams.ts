import type { CommandValue, OperationCommand } from "../command.ts";
import { page, project, upstreamId } from "./shared.ts";

const upstreamSettings: readonly CommandValue[] = [
  { name: "bearer-token-from", kind: "secret", argument: "bearer_token", description: "env:NAME, file:PATH or -." },
];

export const upstreamCommands: readonly OperationCommand[] = [
  {
    path: ["upstream", "add"],
    description: "Registers an upstream MCP server.",
    operation: "svc_create_upstream",
    words: [
      project,
      { name: "prefix", kind: "text", description: "Stands before the names of its tools." },
      { name: "url", kind: "text", description: "Where it answers." },
    ],
    options: upstreamSettings,
  },
  {
    path: ["upstream", "list"],
    description: "Lists a project's upstreams.",
    operation: "svc_list_upstreams",
    words: [project],
    options: page,
    table: {
      list: "upstreams",
      columns: ["id", "prefix", "url", "has_bearer_token", "is_active", "state.health", "state.tool_count"],
    },
  },
  {
    path: ["upstream", "update"],
    description: "Changes an upstream; what is not named stays.",
    operation: "svc_update_upstream",
    words: [upstreamId],
    options: [
      { name: "prefix", kind: "text", description: "Stands before the names of its tools." },
      { name: "url", kind: "text", description: "Where it answers." },
      ...upstreamSettings,
    ],
  },
  {
    path: ["upstream", "refresh"],
    description: "Asks an upstream for its tools now.",
    operation: "svc_refresh_upstream",
    words: [upstreamId],
  },
  {
    path: ["upstream", "test"],
    description: "Tries an upstream and tells what happened at each step.",
    operation: "svc_test_upstream",
    words: [upstreamId],
    table: { list: "steps", columns: ["name", "succeeded", "duration_ms", "detail"] },
  },
  {
    path: ["upstream", "approve"],
    description: "Accepts the definitions that an upstream's tools have now.",
    operation: "svc_approve_tools",
    words: [upstreamId],
    options: [{ name: "tool", kind: "texts", argument: "tools", description: "Only this one; repeatable." }],
  },
  {
    path: ["upstream", "delete"],
    description: "Removes an upstream.",
    operation: "svc_delete_upstream",
    words: [upstreamId],
  },
];

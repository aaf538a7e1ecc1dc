import type { OperationCommand } from "../command.ts";
import { limits, name, page, project } from "./shared.ts";

export const projectCommands: readonly OperationCommand[] = [
  {
    path: ["project", "create"],
    description: "Creates a project.",
    operation: "svc_create_project",
    words: [name],
    options: [
      {
        name: "type",
        kind: "text",
        argument: "project_type",
        description: "ai_gateway, ai_wrapper, mcp_gateway or api_gateway.",
        required: true,
      },
      ...limits,
    ],
  },
  {
    path: ["project", "list"],
    description: "Lists projects.",
    operation: "svc_list_projects",
    options: page,
    table: {
      list: "projects",
      columns: ["uuid", "name", "project_type", "rate_limit_per_minute", "rate_limit_per_hour"],
    },
  },
  { path: ["project", "get"], description: "Shows a project.", operation: "svc_get_project", words: [project] },
  {
    path: ["project", "update"],
    description: "Changes a project's name or limits.",
    operation: "svc_update_project",
    words: [project],
    options: [name, ...limits],
  },
  {
    path: ["project", "delete"],
    description: "Deletes a project with everything in it.",
    operation: "svc_delete_project",
    words: [project],
    confirms: "This deletes the project with its tokens, endpoints and sessions for good",
  },
];

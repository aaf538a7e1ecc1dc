import type { ListToolsRequest, ListToolsResponse, Tool } from "@gatehouse/proto/chat-calls";
import type { ExposedEndpoint } from "../domain/endpoint.ts";

/** The endpoints of a project that are active and exposed as tools, in the order of their slugs. */
export type ListExposedEndpoints = (projectUuid: string) => Promise<readonly ExposedEndpoint[]>;

/** Answers from the database each time, so that a change shows in the very next list. */
export async function handleListTools(
  listExposedEndpoints: ListExposedEndpoints,
  { projectUuid }: ListToolsRequest,
): Promise<ListToolsResponse> {
  const endpoints = await listExposedEndpoints(projectUuid);
  return { tools: endpoints.map(toTool) };
}

function toTool({ slug, description, inputSchema }: ExposedEndpoint): Tool {
  return { name: slug, description: description ?? "", ...(inputSchema === null ? {} : { inputSchema }) };
}

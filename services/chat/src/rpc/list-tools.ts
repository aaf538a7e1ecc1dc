import { compilePromptTemplate } from "@gatehouse/dialects";
import type { ListToolsRequest, ListToolsResponse, Tool } from "@gatehouse/proto/chat-calls";
import type { ExposedEndpoint } from "../domain/endpoint.ts";

/** The active exposed endpoints of a project, by slug. */
export type ListExposedEndpoints = (projectUuid: string) => Promise<readonly ExposedEndpoint[]>;

/** Reads the database each time, so that the next list shows a change. */
export async function handleListTools(
  listExposedEndpoints: ListExposedEndpoints,
  { projectUuid }: ListToolsRequest,
): Promise<ListToolsResponse> {
  const endpoints = await listExposedEndpoints(projectUuid);
  return { tools: endpoints.map(toTool) };
}

function toTool({ slug, description, inputSchema, systemPrompt }: ExposedEndpoint): Tool {
  return {
    name: slug,
    description: description ?? "",
    ...(inputSchema === null ? {} : { inputSchema }),
    variables: [...compilePromptTemplate(systemPrompt ?? "", "system_prompt").names],
  };
}

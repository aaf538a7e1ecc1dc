import type { DeleteProjectRequest, DeleteProjectResponse } from "@gatehouse/proto/mcp-aggregator";
import { deleteProject } from "../store/upstreams.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleDeleteProject(
  { writer }: AdminContext,
  { projectUuid }: DeleteProjectRequest,
): Promise<DeleteProjectResponse> {
  await deleteProject(writer, projectUuid);
  return {};
}

import type { DeleteProjectRequest, DeleteProjectResponse } from "@gatehouse/proto/api-proxy";
import { deleteProject } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleDeleteProject(
  { store }: AdminContext,
  { projectUuid }: DeleteProjectRequest,
): Promise<DeleteProjectResponse> {
  await deleteProject(store, projectUuid);
  return {};
}

import type { DeleteProjectRequest, DeleteProjectResponse } from "@gatehouse/proto/chat";
import { deleteProject } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleDeleteProject(
  { store }: AdminContext,
  request: DeleteProjectRequest,
): Promise<DeleteProjectResponse> {
  await deleteProject(store, request.projectUuid);
  return {};
}

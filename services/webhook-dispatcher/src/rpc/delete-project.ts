import type { DeleteProjectRequest, DeleteProjectResponse } from "@gatehouse/proto/webhook-dispatcher";
import { deleteProject } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";

/** Its webhooks are out of reach at once; they go when the event of the project's deletion has been sent to them. */
export async function handleDeleteProject(
  { transact }: AdminContext,
  { projectUuid }: DeleteProjectRequest,
): Promise<DeleteProjectResponse> {
  await deleteProject(transact, projectUuid);
  return {};
}

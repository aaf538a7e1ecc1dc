import type { DeleteProjectRequest, DeleteProjectResponse } from "@gatehouse/proto/guardrail";
import { deleteProject } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleDeleteProject(
  { transact }: AdminContext,
  { projectUuid }: DeleteProjectRequest,
): Promise<DeleteProjectResponse> {
  await deleteProject(transact, projectUuid);
  return {};
}

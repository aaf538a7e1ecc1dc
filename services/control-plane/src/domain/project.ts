import { resourceNotFound } from "@gatehouse/admin";
import type { GatewayError } from "@gatehouse/errors";
import type { ProjectSettings } from "./project-fields.ts";

/** A project with its limits; its members belong to other services. */
export interface Project extends ProjectSettings {
  readonly id: number;
  readonly uuid: string;
  readonly createdAt: Date;
}

/** The refusal for a uuid without a project, or one that the caller may not see. */
export function projectNotFound(uuid: string): GatewayError {
  return resourceNotFound("Project", uuid);
}

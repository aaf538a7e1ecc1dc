import {
  defineCollection,
  defineOperation,
  defineResource,
  fixed,
  id,
  object,
  oneOf,
  optional,
  project as projectReference,
  readProject,
  reference,
  shown,
  withDefault,
  writeGateway,
  writeProject,
} from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { projectTypes } from "@gatehouse/principal";
import { defaultRateLimits, type Project } from "../domain/project.ts";
import { createdAt, name, onLedgerUnavailable, rateLimits } from "../domain/shared-fields.ts";
import type { ProjectChanges } from "../store/projects.ts";
import type { AdminContext } from "./admin-context.ts";
import { keepingToCaller } from "./own-operation.ts";

const { rate_limit_per_minute: perMinute, rate_limit_per_hour: perHour } = rateLimits;

/** A project: the owner of tokens, endpoints and limits. */
const project = defineResource({
  id: shown(id("The project's id.")),
  uuid: shown(reference("The project's uuid.")),
  name,
  project_type: fixed(oneOf("What the project serves; it cannot be changed later.", projectTypes)),
  rate_limit_per_minute: { ...perMinute, schema: withDefault(perMinute.schema, defaultRateLimits.perMinute) },
  rate_limit_per_hour: { ...perHour, schema: withDefault(perHour.schema, defaultRateLimits.perHour) },
  on_ledger_unavailable: onLedgerUnavailable,
  created_at: createdAt,
});

/** Any text will do: what is no uuid names no project, and the store says so. */
const projects = defineCollection({
  list: "projects",
  key: { argument: "project", schema: projectReference, read: (uuid: string) => uuid },
  shape: project.shape,
  show: (row: Project, _context: AdminContext) => project.encode(row),
});

const create = defineOperation({
  name: "svc_create_project",
  description:
    "Creates a project. Without given limits it gets 600 requests a minute and 20,000 an hour; null makes it unlimited.",
  access: writeGateway,
  input: object(project.createInput),
  output: project.shape,
  async run({ input, initiator }, context: AdminContext) {
    const columns = project.toColumns(input) as ProjectChanges;
    const { perMinute: minute = null, perHour: hour = null, ledgerGraceSeconds = null } = columns;
    const { name: called, project_type: projectType } = input;
    const limits = { perMinute: minute, perHour: hour };
    const wanted = { name: called, projectType, rateLimits: limits, ledgerGraceSeconds };
    return project.encode(await context.projects.create(wanted, initiator));
  },
});

const list = keepingToCaller(
  projects.list({
    name: "svc_list_projects",
    description: "Lists the projects that the caller may see, oldest first.",
    access: readProject,
    find: async (_call, page, context: AdminContext) =>
      await context.projects.list(page, context.caller.administrator.projects),
  }),
);

const get = projects.one({
  name: "svc_get_project",
  description: "Shows one project.",
  access: readProject,
  run: async (uuid, _call, context: AdminContext) => await context.projects.get(uuid),
});

const update = projects.one({
  name: "svc_update_project",
  description:
    "Changes a project's name, limits or behaviour in an outage of their ledger; what is not named stays. A project's type cannot be changed.",
  access: writeProject,
  input: { ...project.updateInput, project_type: optional(project.fields.project_type.schema) },
  async prepare(uuid, { input: { project_type: projectType } }, context: AdminContext) {
    if (projectType !== undefined) refuseOtherType(projectType, await context.projects.get(uuid));
  },
  async run(uuid, { input, initiator }, context) {
    const { project_type: _projectType, ...changes } = input;
    return await context.projects.update(uuid, project.toColumns(changes) as ProjectChanges, initiator);
  },
});

/** The owners first, each of which may be asked again: a failure leaves a project that can be deleted once more. */
const remove = projects.remove({
  name: "svc_delete_project",
  description: "Deletes a project with its tokens and endpoints. Its tokens stop working at once.",
  access: writeProject,
  async run(given, { initiator }, context: AdminContext) {
    const { uuid } = await context.projects.get(given);
    await context.federation.deleteProject(uuid);
    return await context.projects.delete(uuid, initiator);
  },
});

/** Operations on projects; a deletion asks each owner to remove what it keeps. */
export const projectOperations = [create, list, get, update, remove] as const;

/** Its endpoints belong to the service of its type, so a project keeps the type that it was created with. */
function refuseOtherType(wanted: string, { projectType }: Project): void {
  if (wanted === projectType) return;
  throw new GatewayError("invalid_argument", "project_type cannot be changed; create another project");
}

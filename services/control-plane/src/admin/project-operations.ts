import {
  defineCollection,
  defineOperation,
  object,
  optional,
  project as projectReference,
  readProject,
  writeGateway,
  writeProject,
} from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { type Project, type ProjectSettings, project } from "../domain/project.ts";
import type { AdminContext } from "./admin-context.ts";
import { keepingToCaller } from "./own-operation.ts";

/** Any text is accepted; for one that is not a uuid the store answers that there is no such project. */
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
  takesIdempotencyKey: true,
  input: object(project.createInput),
  output: project.shape,
  async run({ input, initiator }, context: AdminContext) {
    const settings = project.toNewColumns(input) as unknown as ProjectSettings;
    return project.encode(await context.projects.create(settings, initiator));
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
    const decide = (present: Project) => ({
      settings: project.toColumns(changes) as Partial<ProjectSettings>,
      changed: project.changedFields(present, changes),
    });
    return await context.projects.update(uuid, decide, initiator);
  },
});

/** Owners delete first, idempotently, so that a failed deletion can be repeated. */
const remove = projects.remove({
  name: "svc_delete_project",
  description: "Deletes a project with its tokens and endpoints. Its tokens stop working at once.",
  access: writeProject,
  async run(given, { initiator }, context: AdminContext) {
    const { uuid } = await context.projects.get(given);
    await context.federation.deleteProject(uuid);
    const deleted = await context.projects.delete(uuid, initiator);
    await context.federation.deleteProjectAgain(uuid);
    return deleted;
  },
});

/** Operations on projects; a deletion asks each owner to delete the project's data. */
export const projectOperations = [create, list, get, update, remove] as const;

/** A project's type is immutable: its endpoints belong to the service of that type. */
function refuseOtherType(wanted: string, { projectType }: Project): void {
  if (wanted === projectType) return;
  throw invalidArgument("project_type cannot be changed; create another project");
}

import type { AuditInitiator } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import { isProjectType } from "@gatehouse/principal";
import { unchanged } from "@gatehouse/service";
import type { PrincipalChange } from "../domain/principal-change.ts";
import { type Project, type ProjectSettings, projectNotFound, requireProjectUuid } from "../domain/project.ts";
import type { SettingsChange } from "../domain/shared-fields.ts";
import { projectCreated, projectDeleted, projectUpdated } from "../events.ts";
import type { Project as ProjectRow } from "../generated/prisma/client.ts";
import type { PrincipalStore } from "./principal-store.ts";

type DecideChange = (present: Project) => SettingsChange<ProjectSettings>;

/**
 * Projects by uuid; methods throw `Project not found: <uuid>` for an unknown or malformed one. `initiator` is the author of a
 * change; its project is the changed one.
 */
export interface ProjectStore {
  create(settings: ProjectSettings, initiator: AuditInitiator): Promise<Project>;
  get(uuid: string): Promise<Project>;
  /** @param among uuids of the projects to list; null: all */
  list(page: PageRequest, among: readonly string[] | null): Promise<PageResult<Project>>;
  /** Announces and records nothing where nothing differs. */
  update(uuid: string, decide: DecideChange, initiator: AuditInitiator): Promise<Project>;
  /** Deletes the project with its tokens. */
  delete(uuid: string, initiator: AuditInitiator): Promise<Project>;
}

/** Store of projects; a deletion includes tokens and issuers. */
export function createProjectStore(store: PrincipalStore): ProjectStore {
  return {
    async create(settings, initiator) {
      return await store.write(async (tx) => {
        const project = toProject(await tx.project.create({ data: settings }));
        return { result: project, changes: [], events: [projectCreated(initiator, project)] };
      });
    },
    async get(uuid) {
      const where = { uuid: requireProjectUuid(uuid) };
      return requireProject(await store.read(async (client) => await client.project.findUnique({ where })), uuid);
    },
    async list(page, among) {
      return await readPage(page, toProject, async ({ after, ...query }) => {
        const where = { ...after, ...(among === null ? {} : { uuid: { in: [...among] } }) };
        return await store.read(async (client) => await client.project.findMany({ where, ...query }));
      });
    },
    async update(uuid, decide, initiator) {
      const where = { uuid: requireProjectUuid(uuid) };
      return await store.write(async (tx) => {
        await lockRow(tx, "projects", where);
        const present = requireProject(await tx.project.findUnique({ where }), uuid);
        const { settings, changed } = decide(present);
        if (changed.length === 0) return unchanged(present);
        const project = toProject(await tx.project.update({ where, data: settings }));
        return { result: project, changes: [changeOf(project)], events: [projectUpdated(initiator, project, changed)] };
      });
    },
    async delete(uuid, initiator) {
      const where = { uuid: requireProjectUuid(uuid) };
      return await store.write(async (tx) => {
        const project = requireProject(await tx.project.findUnique({ where }), uuid);
        const { count } = await tx.project.deleteMany({ where });
        if (count === 0) throw projectNotFound(uuid);
        return { result: project, changes: [changeOf(project)], events: [projectDeleted(initiator, project)] };
      });
    },
  };
}

function changeOf({ uuid }: Project): PrincipalChange {
  return { kind: "project", projectUuid: uuid };
}

function requireProject(row: ProjectRow | null | undefined, uuid: string): Project {
  if (row === null || row === undefined) throw projectNotFound(uuid);
  return toProject(row);
}

function toProject({ updatedAt: _updatedAt, projectType, ...row }: ProjectRow): Project {
  if (!isProjectType(projectType)) throw new Error(`Project ${row.id} has an unknown type in the database.`);
  return { ...row, projectType };
}

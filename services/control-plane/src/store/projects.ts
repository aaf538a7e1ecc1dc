import { parseUuid } from "@gatehouse/admin";
import type { AuditInitiator } from "@gatehouse/audit";
import { type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import { isProjectType, type ProjectType, type RateLimits } from "@gatehouse/principal";
import { unchanged } from "@gatehouse/service";
import type { PrincipalChange } from "../domain/principal-change.ts";
import type { Project } from "../domain/project.ts";
import { projectNotFound } from "../domain/project.ts";
import { projectCreated, projectDeleted, projectUpdated } from "../events.ts";
import type { Project as ProjectRow } from "../generated/prisma/client.ts";
import type { PrincipalStore } from "./principal-store.ts";

interface NewProject {
  readonly name: string;
  readonly projectType: ProjectType;
  readonly rateLimits: RateLimits;
  readonly ledgerGraceSeconds: number | null;
}

/** Absent members stay as they are. */
export interface ProjectChanges {
  readonly name?: string;
  readonly perMinute?: number | null;
  readonly perHour?: number | null;
  readonly ledgerGraceSeconds?: number | null;
}

/**
 * Projects by uuid; each method throws `Project not found: <uuid>` where there is none, whatever the text. `initiator` says who
 * asks for a change; its project is the one that is changed.
 */
export interface ProjectStore {
  create(project: NewProject, initiator: AuditInitiator): Promise<Project>;
  get(uuid: string): Promise<Project>;
  /** @param among uuids of the projects to list; null stands for all */
  list(page: PageRequest, among: readonly string[] | null): Promise<PageResult<Project>>;
  /** Announces and records nothing where nothing is changed. */
  update(uuid: string, changes: ProjectChanges, initiator: AuditInitiator): Promise<Project>;
  /** Deletes the project with its tokens. */
  delete(uuid: string, initiator: AuditInitiator): Promise<Project>;
}

/** Projects by uuid; a deletion takes tokens and issuers with it. */
export function createProjectStore(store: PrincipalStore): ProjectStore {
  return {
    async create({ rateLimits: { perMinute, perHour }, ...rest }, initiator) {
      const data = { ...rest, rateLimitPerMinute: perMinute, rateLimitPerHour: perHour };
      return await store.write(async (tx) => {
        const project = toProject(await tx.project.create({ data }));
        return { result: project, changes: [], events: [projectCreated(initiator, project)] };
      });
    },
    async get(uuid) {
      const where = { uuid: requireUuid(uuid) };
      return requireProject(await store.read(async (client) => await client.project.findUnique({ where })), uuid);
    },
    async list(page, among) {
      return await readPage(page, toProject, async ({ after, ...query }) => {
        const where = { ...after, ...(among === null ? {} : { uuid: { in: [...among] } }) };
        return await store.read(async (client) => await client.project.findMany({ where, ...query }));
      });
    },
    async update(uuid, changes, initiator) {
      const where = { uuid: requireUuid(uuid) };
      return await store.write(async (tx) => {
        await tx.$queryRaw`SELECT id FROM projects WHERE uuid = ${where.uuid}::uuid FOR UPDATE`;
        const present = requireProject(await tx.project.findUnique({ where }), uuid);
        const changed = findChanged(present, changes);
        if (changed.length === 0) return unchanged(present);
        const project = toProject(await tx.project.update({ where, data: toData(changes) }));
        return { result: project, changes: [changeOf(project)], events: [projectUpdated(initiator, project, changed)] };
      });
    },
    async delete(uuid, initiator) {
      const where = { uuid: requireUuid(uuid) };
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

/** The arguments that make a difference. */
function findChanged({ name, rateLimits, ledgerGraceSeconds }: Project, changes: ProjectChanges): string[] {
  const pairs = [
    ["name", name, changes.name],
    ["rate_limit_per_minute", rateLimits.perMinute, changes.perMinute],
    ["rate_limit_per_hour", rateLimits.perHour, changes.perHour],
    ["on_ledger_unavailable", ledgerGraceSeconds, changes.ledgerGraceSeconds],
  ] as const;
  return pairs.filter(([, present, wanted]) => wanted !== undefined && wanted !== present).map(([field]) => field);
}

function toData({ perMinute, perHour, ...rest }: ProjectChanges) {
  return {
    ...rest,
    ...(perMinute === undefined ? {} : { rateLimitPerMinute: perMinute }),
    ...(perHour === undefined ? {} : { rateLimitPerHour: perHour }),
  };
}

function requireUuid(text: string): string {
  const uuid = parseUuid(text);
  if (uuid === undefined) throw projectNotFound(text);
  return uuid;
}

function requireProject(row: ProjectRow | null | undefined, uuid: string): Project {
  if (row === null || row === undefined) throw projectNotFound(uuid);
  return toProject(row);
}

function toProject(row: ProjectRow): Project {
  const { id, uuid, name, projectType, ledgerGraceSeconds, createdAt } = row;
  if (!isProjectType(projectType)) throw new Error(`Project ${id} has an unknown type in the database.`);
  const rateLimits = { perMinute: row.rateLimitPerMinute, perHour: row.rateLimitPerHour };
  return { id, uuid, name, projectType, rateLimits, ledgerGraceSeconds, createdAt };
}

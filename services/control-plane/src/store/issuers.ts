import { isRowId, parseUuid } from "@gatehouse/admin";
import type { AuditInitiator } from "@gatehouse/audit";
import { type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import { isScope } from "@gatehouse/principal";
import { unchanged } from "@gatehouse/service";
import { type Issuer, issuerNotFound, issuersMax } from "../domain/issuer.ts";
import type { PrincipalChange } from "../domain/principal-change.ts";
import { type Project, projectNotFound } from "../domain/project.ts";
import { issuerCreated, issuerDeleted, issuerUpdated } from "../events.ts";
import { type Issuer as IssuerRow, Prisma } from "../generated/prisma/client.ts";
import type { PrincipalStore } from "./principal-store.ts";

type NewIssuer = Omit<Issuer, "id" | "projectUuid" | "createdAt">;

/** Absent members stay as they are. */
export type IssuerChanges = Partial<Omit<NewIssuer, "rateLimits">> & {
  readonly perMinute?: number | null;
  readonly perHour?: number | null;
};

interface WantedIssuer {
  /** Its URL. */
  readonly issuer: string;
  /** Issuers that the project will trust besides those that are there. */
  readonly planned: number;
}

/** Issuers by id; each method throws `Issuer not found: <id>` where there is none. */
export interface IssuerStore {
  create(project: Project, issuer: NewIssuer, initiator: AuditInitiator): Promise<Issuer>;
  /** Whether the project may trust one more issuer now; one that does not exist has room. @throws as {@link IssuerStore.create} */
  requireRoom(projectUuid: string, wanted: WantedIssuer): Promise<void>;
  get(id: number): Promise<Issuer>;
  list(project: Project, page: PageRequest): Promise<PageResult<Issuer>>;
  update(id: number, changes: IssuerChanges, initiator: AuditInitiator): Promise<Issuer>;
  /** Its subjects go with it. */
  delete(id: number, initiator: AuditInitiator): Promise<Issuer>;
}

const withProject = { project: { select: { id: true, uuid: true, name: true } } } as const;
type Row = IssuerRow & { readonly project: { readonly id: number; readonly uuid: string; readonly name: string } };

/** Issuers of JWTs, by project. */
export function createIssuerStore(store: PrincipalStore): IssuerStore {
  return {
    create: async (project, issuer, initiator) =>
      await store.write(async (tx) => {
        // Two at once must not both find the last place.
        const locked = await tx.$queryRaw<unknown[]>`SELECT id FROM projects WHERE id = ${project.id} FOR UPDATE`;
        if (locked.length === 0) throw projectNotFound(project.uuid);
        const count = await tx.issuer.count({ where: { projectId: project.id } });
        if (count >= issuersMax) throw tooMany();
        const { rateLimits, scopes, ...rest } = issuer;
        const data = {
          ...rest,
          projectId: project.id,
          scopes: [...scopes],
          rateLimitPerMinute: rateLimits.perMinute,
          rateLimitPerHour: rateLimits.perHour,
        };
        const row = await unrepeated(issuer.issuer, async () => await tx.issuer.create({ data, include: withProject }));
        return { result: toIssuer(row), changes: [changeOf(row)], events: [issuerCreated(initiator, row)] };
      }),
    requireRoom: async (projectUuid, wanted) => await requireRoom(store, projectUuid, wanted),
    async get(id) {
      if (!isRowId(id)) throw issuerNotFound(id);
      const query = { where: { id }, include: withProject } as const;
      return requireIssuer(await store.read(async (client) => await client.issuer.findUnique(query)), id);
    },
    async list(project, page) {
      return await readPage(page, toIssuer, async ({ after, ...query }) => {
        const where = { projectId: project.id, ...after };
        return await store.read(
          async (client) => await client.issuer.findMany({ where, include: withProject, ...query }),
        );
      });
    },
    async update(id, changes, initiator) {
      if (!isRowId(id)) throw issuerNotFound(id);
      return await store.write(async (tx) => {
        await tx.$queryRaw`SELECT id FROM issuers WHERE id = ${id} FOR UPDATE`;
        const present = requireIssuer(await tx.issuer.findUnique({ where: { id }, include: withProject }), id);
        const changed = findChanged(present, changes);
        if (changed.length === 0) return unchanged(present);
        const query = { where: { id }, data: toData(changes), include: withProject };
        const row = await unrepeated(changes.issuer ?? "", async () => await tx.issuer.update(query));
        return { result: toIssuer(row), changes: [changeOf(row)], events: [issuerUpdated(initiator, row, changed)] };
      });
    },
    async delete(id, initiator) {
      if (!isRowId(id)) throw issuerNotFound(id);
      return await store.write(async (tx) => {
        const row = await tx.issuer.findUnique({ where: { id }, include: withProject });
        const issuer = requireIssuer(row, id);
        const { count } = await tx.issuer.deleteMany({ where: { id } });
        if (count === 0 || row === null) throw issuerNotFound(id);
        return { result: issuer, changes: [changeOf(row)], events: [issuerDeleted(initiator, row)] };
      });
    },
  };
}

async function requireRoom(
  store: PrincipalStore,
  projectUuid: string,
  { issuer, planned }: WantedIssuer,
): Promise<void> {
  const uuid = parseUuid(projectUuid);
  if (uuid === undefined) return;
  const query = { where: { project: { uuid } }, select: { issuer: true } } as const;
  const present = await store.read(async (client) => await client.issuer.findMany(query));
  if (present.some((each) => each.issuer === issuer)) throw isTrusted(issuer);
  if (present.length + planned >= issuersMax) throw tooMany();
}

function changeOf({ id }: { readonly id: number }): PrincipalChange {
  return { kind: "issuer", issuerId: id };
}

const fields = {
  issuer: "issuer",
  audience: "audience",
  scopes: "scopes",
  scopeClaim: "scope_claim",
  jwksUrl: "jwks_url",
} as const;

/** The arguments that make a difference. */
function findChanged(present: Issuer, changes: IssuerChanges): string[] {
  const names = Object.keys(fields) as (keyof typeof fields)[];
  const changed: string[] = names
    .filter((name) => changes[name] !== undefined && String(changes[name]) !== String(present[name]))
    .map((name) => fields[name]);
  const { perMinute, perHour } = present.rateLimits;
  if (changes.perMinute !== undefined && changes.perMinute !== perMinute) changed.push("rate_limit_per_minute");
  if (changes.perHour !== undefined && changes.perHour !== perHour) changed.push("rate_limit_per_hour");
  return changed;
}

function toData({ scopes, perMinute, perHour, ...rest }: IssuerChanges): Prisma.IssuerUpdateInput {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    ...(perMinute === undefined ? {} : { rateLimitPerMinute: perMinute }),
    ...(perHour === undefined ? {} : { rateLimitPerHour: perHour }),
  };
}

async function unrepeated<T>(issuer: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (err) {
    if (!(err instanceof Prisma.PrismaClientKnownRequestError) || err.code !== "P2002") throw err;
    throw isTrusted(issuer);
  }
}

function isTrusted(issuer: string): GatewayError {
  return new GatewayError("already_exists", `The project trusts this issuer already: ${issuer}`);
}

function tooMany(): GatewayError {
  return new GatewayError("invalid_argument", `A project may trust at most ${issuersMax} issuers. Delete one first.`);
}

function requireIssuer(row: Row | null, id: number): Issuer {
  if (row === null) throw issuerNotFound(id);
  return toIssuer(row);
}

function toIssuer(row: Row): Issuer {
  const { id, issuer, audience, scopeClaim, jwksUrl, createdAt } = row;
  return {
    id,
    projectUuid: row.project.uuid,
    issuer,
    audience,
    scopes: row.scopes.filter(isScope),
    scopeClaim,
    jwksUrl,
    rateLimits: { perMinute: row.rateLimitPerMinute, perHour: row.rateLimitPerHour },
    createdAt,
  };
}

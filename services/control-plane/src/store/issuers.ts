import { isRowId, parseUuid, projectIsFull } from "@gatehouse/admin";
import type { AuditInitiator } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import { isScope } from "@gatehouse/principal";
import { unchanged } from "@gatehouse/service";
import { type Issuer, type IssuerSettings, issuerNotFound, issuersMax } from "../domain/issuer.ts";
import type { PrincipalChange } from "../domain/principal-change.ts";
import { type Project, projectNotFound } from "../domain/project.ts";
import type { SettingsChange } from "../domain/shared-fields.ts";
import { issuerCreated, issuerDeleted, issuerUpdated } from "../events.ts";
import { type Issuer as IssuerRow, Prisma } from "../generated/prisma/client.ts";
import type { PrincipalStore } from "./principal-store.ts";

type DecideChange = (present: Issuer) => SettingsChange<IssuerSettings>;

interface WantedIssuer {
  /** URL of the issuer, as in the `iss` claim. */
  readonly issuer: string;
  /** Number of issuers that the project will have in addition to its present ones. */
  readonly planned: number;
}

/** Issuers by id; methods throw `Issuer not found: <id>` for an unknown one. */
export interface IssuerStore {
  create(project: Project, settings: IssuerSettings, initiator: AuditInitiator): Promise<Issuer>;
  /** Checks that the project may trust one more issuer; a missing project has room. @throws as {@link IssuerStore.create} */
  requireRoom(projectUuid: string, wanted: WantedIssuer): Promise<void>;
  get(id: number): Promise<Issuer>;
  list(project: Project, page: PageRequest): Promise<PageResult<Issuer>>;
  /** Announces and records nothing where nothing differs. */
  update(id: number, decide: DecideChange, initiator: AuditInitiator): Promise<Issuer>;
  /** Deletes an issuer with its subjects. */
  delete(id: number, initiator: AuditInitiator): Promise<Issuer>;
}

const withProject = { project: { select: { id: true, uuid: true, name: true } } } as const;
type Row = IssuerRow & { readonly project: { readonly id: number; readonly uuid: string; readonly name: string } };

/** Issuer store. A creation locks the project, so that concurrent ones keep to `issuersMax`; routers are notified of changes. */
export function createIssuerStore(store: PrincipalStore): IssuerStore {
  return {
    create: async (project, settings, initiator) =>
      await store.write(async (tx) => {
        // Locked, so that two creations cannot both take the last place.
        const locked = await tx.$queryRaw<unknown[]>`SELECT id FROM projects WHERE id = ${project.id} FOR UPDATE`;
        if (locked.length === 0) throw projectNotFound(project.uuid);
        const count = await tx.issuer.count({ where: { projectId: project.id } });
        if (count >= issuersMax) throw projectIsFull("issuers", issuersMax);
        const data = { ...settings, projectId: project.id };
        const row = await unrepeated(
          settings.issuer,
          async () => await tx.issuer.create({ data, include: withProject }),
        );
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
    async update(id, decide, initiator) {
      if (!isRowId(id)) throw issuerNotFound(id);
      return await store.write(async (tx) => {
        await lockRow(tx, "issuers", { id });
        const present = requireIssuer(await tx.issuer.findUnique({ where: { id }, include: withProject }), id);
        const { settings, changed } = decide(present);
        if (changed.length === 0) return unchanged(present);
        const query = { where: { id }, data: settings, include: withProject };
        const row = await unrepeated(settings.issuer ?? "", async () => await tx.issuer.update(query));
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
  if (present.some((each) => each.issuer === issuer)) throw alreadyTrusted(issuer);
  if (present.length + planned >= issuersMax) throw projectIsFull("issuers", issuersMax);
}

function changeOf({ id }: { readonly id: number }): PrincipalChange {
  return { kind: "issuer", issuerId: id };
}

async function unrepeated<T>(issuer: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (err) {
    if (!(err instanceof Prisma.PrismaClientKnownRequestError) || err.code !== "P2002") throw err;
    throw alreadyTrusted(issuer);
  }
}

function alreadyTrusted(issuer: string): GatewayError {
  return new GatewayError("already_exists", `The project trusts this issuer already: ${issuer}`);
}

function requireIssuer(row: Row | null, id: number): Issuer {
  if (row === null) throw issuerNotFound(id);
  return toIssuer(row);
}

function toIssuer({ projectId: _projectId, project, ...row }: Row): Issuer {
  return { ...row, projectUuid: project.uuid, scopes: row.scopes.filter(isScope) };
}

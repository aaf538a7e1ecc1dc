import { isRowId } from "@gatehouse/admin";
import { type AuditInitiator, type NewAuditEvent, type ProjectReference, systemInitiator } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import { isScope, type TokenReach } from "@gatehouse/principal";
import { unchanged } from "@gatehouse/service";
import {
  type AccessToken,
  type TokenChange,
  type TokenSettings,
  findRotationProblem,
  findUpdateProblem,
  tokenNotFound,
} from "../domain/access-token.ts";
import type { Issuer } from "../domain/issuer.ts";
import { type Project, projectNotFound } from "../domain/project.ts";
import {
  tokenCreated,
  tokenDeleted,
  type TokenOfProject,
  tokenRevoked,
  tokenRotated,
  tokenUpdated,
} from "../events.ts";
import { Prisma, type AccessToken as TokenRow } from "../generated/prisma/client.ts";
import type { PrincipalStore, Transaction } from "./principal-store.ts";
import { fromReachColumn, toReachColumn } from "./reach-column.ts";

interface NewAccessToken {
  readonly settings: TokenSettings;
  /** SHA-256 of the plaintext. */
  readonly hash: Buffer;
}

interface TokenRotation {
  /** SHA-256 of the new plaintext. */
  readonly hash: Buffer;
  readonly now: Date;
}

/** Subjects of one issuer: all, or only the revoked ones. */
interface SubjectsOf {
  readonly issuerId: number;
  readonly isRevoked: boolean;
}

interface SubjectRevocation {
  readonly subject: string;
  /** End of the revocation; null: never. */
  readonly until: Date | null;
}

/** Subjects deleted in one transaction. */
export const forgottenMax = 500;

/**
 * Access tokens by id; methods throw `Token not found: <id>` for an unknown one. `initiator` is the author of a change; its
 * project is the token's.
 */
export interface AccessTokenStore {
  create(project: Project, token: NewAccessToken, initiator: AuditInitiator): Promise<AccessToken>;
  get(id: number): Promise<AccessToken>;
  /** Lists tokens with a plaintext. */
  list(project: Project, page: PageRequest): Promise<PageResult<AccessToken>>;
  /** Lists tokens of an issuer's subjects. */
  listSubjects(subjects: SubjectsOf, page: PageRequest): Promise<PageResult<AccessToken>>;
  /** Revokes a subject, also before its first call. */
  revokeSubject(issuer: Issuer, revocation: SubjectRevocation, initiator: AuditInitiator): Promise<AccessToken>;
  /** Deletes at most {@link forgottenMax} subjects whose revocations have ended. @returns their number */
  forgetRevoked(now: Date): Promise<number>;
  /**
   * Announces and records nothing where nothing differs. Refuses a revoked token.
   * @param decide makes the change from the present token; throws a GatewayError where a rule is broken
   */
  update(id: number, decide: (present: AccessToken) => TokenChange, initiator: AuditInitiator): Promise<AccessToken>;
  /** Replaces the plaintext's hash: from the commit on, the old plaintext is unknown. Refuses a revoked or expired token. */
  rotate(id: number, rotation: TokenRotation, initiator: AuditInitiator): Promise<AccessToken>;
  /** Idempotent: revoking a revoked token changes, announces and records nothing. */
  revoke(id: number, initiator: AuditInitiator): Promise<AccessToken>;
  delete(id: number, initiator: AuditInitiator): Promise<AccessToken>;
}

type Row = TokenRow & { readonly project: ProjectReference };

const withProject = { project: { select: { id: true, uuid: true, name: true } } } as const;

async function listTokens(
  store: PrincipalStore,
  page: PageRequest,
  filter: Prisma.AccessTokenWhereInput,
): Promise<PageResult<AccessToken>> {
  return await readPage(page, toToken, async ({ after, ...query }) => {
    const where = { ...filter, ...after };
    return await store.read(
      async (client) => await client.accessToken.findMany({ where, include: withProject, ...query }),
    );
  });
}

/** Store of access tokens, of whose plaintexts only hashes are kept. */
export function createAccessTokenStore(store: PrincipalStore): AccessTokenStore {
  return {
    create: async (project, token, initiator) =>
      await store.write(async (tx) => {
        const created = await insert(tx, project, token);
        return { result: created, changes: [], events: [tokenCreated(initiator, { token: created, project })] };
      }),
    async get(id) {
      if (!isRowId(id)) throw tokenNotFound(id);
      const query = { where: { id }, include: withProject } as const;
      return requireToken(await store.read(async (client) => await client.accessToken.findUnique(query)), id);
    },
    async list(project, page) {
      return await listTokens(store, page, { projectId: project.id, issuerId: null });
    },
    async listSubjects({ issuerId, isRevoked }, page) {
      return await listTokens(store, page, { issuerId, ...(isRevoked ? { isActive: false } : {}) });
    },
    async revokeSubject(issuer, { subject, until }, initiator) {
      const { id } = await findOrMakeSubject(store, issuer, subject);
      return await revokeToken(store, id, initiator, until);
    },
    forgetRevoked: async (now) => await forgetRevoked(store, now),
    update: async (id, decide, initiator) =>
      await changeToken(store, id, async (tx, token) => {
        const problem = findUpdateProblem(token);
        if (problem !== undefined) throw problem;
        const { settings, changed } = decide(token);
        if (changed.length === 0) return undefined;
        const row = await tx.accessToken.update({ where: { id }, data: toData(settings), include: withProject });
        return { row, event: (subject) => tokenUpdated(initiator, subject, changed) };
      }),
    rotate: async (id, { hash, now }, initiator) =>
      await changeToken(store, id, async (tx, token) => {
        const problem = findRotationProblem(token, now);
        if (problem !== undefined) throw problem;
        const data = { tokenHash: toBytes(hash) };
        const row = await tx.accessToken.update({ where: { id }, data, include: withProject });
        return { row, event: (subject) => tokenRotated(initiator, subject) };
      }),
    revoke: async (id, initiator) => await revokeToken(store, id, initiator, null),
    delete: async (id, initiator) =>
      await changeToken(store, id, async (tx) => {
        const row = await tx.accessToken.delete({ where: { id }, include: withProject });
        return { row, event: (subject) => tokenDeleted(initiator, subject) };
      }),
  };
}

/** Revokes a token; of two revocations of a subject the later one decides when it ends. */
async function revokeToken(
  store: PrincipalStore,
  id: number,
  initiator: AuditInitiator,
  until: Date | null,
): Promise<AccessToken> {
  return await changeToken(store, id, async (tx, token) => {
    if (!token.isActive && token.revokedUntil?.getTime() === until?.getTime()) return undefined;
    const data = { isActive: false, revokedUntil: until };
    const row = await tx.accessToken.update({ where: { id }, data, include: withProject });
    return { row, event: (subject) => tokenRevoked(initiator, subject) };
  });
}

async function forgetRevoked(store: PrincipalStore, now: Date): Promise<number> {
  return await store.write(async (tx) => {
    const where = { isActive: false, issuerId: { not: null }, revokedUntil: { lte: now } };
    const rows = await tx.accessToken.findMany({ where, take: forgottenMax, include: withProject });
    if (rows.length === 0) return unchanged(0);
    const ids = rows.map(({ id }) => id);
    // Skips subjects that another replica has deleted, or that were revoked again meanwhile.
    const deleted = await tx.$queryRaw<{ readonly id: number }[]>`
      DELETE FROM access_tokens WHERE id = ANY(${ids}) AND NOT is_active AND revoked_until <= ${now} RETURNING id`;
    const gone = new Set(deleted.map(({ id }) => id));
    const forgotten = rows.filter(({ id }) => gone.has(id));
    return {
      result: forgotten.length,
      changes: forgotten.map(({ id }) => ({ kind: "token", tokenId: id }) as const),
      events: forgotten.map((row) => tokenDeleted(systemInitiator, { token: toToken(row), project: row.project })),
    };
  });
}

/** Creates the token of a subject that is revoked before its first call. */
async function findOrMakeSubject(
  store: PrincipalStore,
  issuer: Issuer,
  subject: string,
): Promise<{ readonly id: number }> {
  const project = { connect: { uuid: issuer.projectUuid } };
  const own = { name: subject, environment: "live", scopes: [...issuer.scopes], subject };
  const query = {
    where: { issuerId_subject: { issuerId: issuer.id, subject } },
    create: { ...own, project, issuer: { connect: { id: issuer.id } } },
    update: {},
    select: { id: true },
  };
  // Without an event, since the revocation records one.
  return await store.write(async (tx) => unchanged(await tx.accessToken.upsert(query)));
}

async function insert(tx: Transaction, project: Project, { settings, hash }: NewAccessToken): Promise<AccessToken> {
  const data = { ...toData(settings), projectId: project.id, tokenHash: toBytes(hash) };
  try {
    return toToken(await tx.accessToken.create({ data, include: withProject }));
  } catch (err) {
    // The project was deleted concurrently.
    if (err instanceof Prisma.PrismaClientKnownRequestError && err.code === "P2003")
      throw projectNotFound(project.uuid);
    throw err;
  }
}

/** Columns of settings; those of the reach share one. */
function toData<Settings extends TokenReach>({ endpoints, tools, networks, ...columns }: Settings) {
  return { ...columns, reach: toReachColumn({ endpoints, tools, networks }) };
}

interface ChangedRow {
  readonly row: Row;
  readonly event: (subject: TokenOfProject) => NewAuditEvent;
}

/** Locks the row until `change`'s decision is written. Undefined: no change. */
async function changeToken(
  store: PrincipalStore,
  id: number,
  change: (tx: Transaction, token: AccessToken) => Promise<ChangedRow | undefined>,
): Promise<AccessToken> {
  if (!isRowId(id)) throw tokenNotFound(id);
  return await store.write(async (tx) => {
    await lockRow(tx, "access_tokens", { id });
    const token = requireToken(await tx.accessToken.findUnique({ where: { id }, include: withProject }), id);
    const changed = await change(tx, token);
    if (changed === undefined) return unchanged(token);
    const { row, event } = changed;
    const result = toToken(row);
    const events = [event({ token: result, project: row.project })];
    return { result, changes: [{ kind: "token", tokenId: id }], events };
  });
}

function requireToken(row: Row | null, id: number): AccessToken {
  if (row === null) throw tokenNotFound(id);
  return toToken(row);
}

function toToken({
  projectId: _projectId,
  tokenHash: _hash,
  project,
  reach,
  issuerId,
  subject,
  ...row
}: Row): AccessToken {
  return {
    ...row,
    ...fromReachColumn(reach),
    projectUuid: project.uuid,
    environment: row.environment === "test" ? "test" : "live",
    scopes: row.scopes.filter(isScope),
    userBudgetMicros: row.userBudgetMicros === null ? null : Number(row.userBudgetMicros),
    external: issuerId === null || subject === null ? undefined : { issuerId, subject },
  };
}

/** Prisma accepts only bytes that fill their ArrayBuffer. */
function toBytes(hash: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash);
}

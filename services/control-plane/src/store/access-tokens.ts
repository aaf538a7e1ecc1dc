import { pageBounds, type PageRequest, type PageResult, reading, toPage } from "@gatehouse/database";
import { isScope, type RateLimits, type Scope, type TokenEnvironment } from "@gatehouse/principal";
import { type AccessToken, findRotationProblem, tokenNotFound } from "../domain/access-token.ts";
import { type Project, projectNotFound } from "../domain/project.ts";
import { Prisma, type AccessToken as TokenRow, type PrismaClient } from "../generated/prisma/client.ts";
import { isRowId } from "../domain/row-id.ts";
import type { Transaction, Transactor } from "./transactor.ts";

export interface NewAccessToken {
  readonly name: string;
  readonly environment: TokenEnvironment;
  readonly scopes: readonly Scope[];
  readonly rateLimits: RateLimits;
  readonly expiresAt: Date | null;
  /** SHA-256 of the plaintext. */
  readonly hash: Buffer;
}

/** Access tokens by id; each method throws `Token not found: <id>` where there is none. */
export interface AccessTokenStore {
  create(project: Project, token: NewAccessToken): Promise<AccessToken>;
  get(id: number): Promise<AccessToken>;
  list(project: Project, page: PageRequest): Promise<PageResult<AccessToken>>;
  /** Replaces the plaintext's hash: from the commit on, the old plaintext is unknown. Refused for a revoked or expired token. */
  rotate(id: number, hash: Buffer, now: Date): Promise<AccessToken>;
  /** Idempotent. */
  revoke(id: number): Promise<AccessToken>;
  delete(id: number): Promise<AccessToken>;
}

type Row = TokenRow & { readonly project: { readonly uuid: string } };

const withProject = { project: { select: { uuid: true } } } as const;

export function createAccessTokenStore(prisma: PrismaClient, transact: Transactor): AccessTokenStore {
  return {
    create: async (project, token) => await transact(async (tx) => await insert(tx, project, token)),
    async get(id) {
      if (!isRowId(id)) throw tokenNotFound(id);
      const query = { where: { id }, include: withProject } as const;
      return requireToken(await reading(async () => await prisma.accessToken.findUnique(query)), id);
    },
    async list(project, page) {
      const { take, afterId } = pageBounds(page);
      const where = { projectId: project.id, id: { gt: afterId } };
      const query = { where, orderBy: { id: "asc" }, take: take + 1, include: withProject } as const;
      return toPage((await reading(async () => await prisma.accessToken.findMany(query))).map(toToken), take);
    },
    rotate: async (id, hash, now) =>
      await changeToken(transact, id, async (tx, token) => {
        const problem = findRotationProblem(token, now);
        if (problem !== undefined) throw problem;
        return await tx.accessToken.update({ where: { id }, data: { tokenHash: toBytes(hash) }, include: withProject });
      }),
    revoke: async (id) =>
      await changeToken(transact, id, async (tx) => {
        return await tx.accessToken.update({ where: { id }, data: { isActive: false }, include: withProject });
      }),
    delete: async (id) =>
      await changeToken(transact, id, async (tx) => {
        return await tx.accessToken.delete({ where: { id }, include: withProject });
      }),
  };
}

async function insert(tx: Transaction, project: Project, token: NewAccessToken): Promise<AccessToken> {
  const { name, environment, scopes, rateLimits, expiresAt, hash } = token;
  const data = {
    projectId: project.id,
    name,
    environment,
    scopes: [...scopes],
    rateLimitPerMinute: rateLimits.perMinute,
    rateLimitPerHour: rateLimits.perHour,
    expiresAt,
    tokenHash: toBytes(hash),
  };
  try {
    return toToken(await tx.accessToken.create({ data, include: withProject }));
  } catch (err) {
    // The project was deleted after it was read.
    if (err instanceof Prisma.PrismaClientKnownRequestError && err.code === "P2003")
      throw projectNotFound(project.uuid);
    throw err;
  }
}

/** Locks the row, so that what `change` decides from the token still holds when it writes. */
async function changeToken(
  transact: Transactor,
  id: number,
  change: (tx: Transaction, token: AccessToken) => Promise<Row>,
): Promise<AccessToken> {
  if (!isRowId(id)) throw tokenNotFound(id);
  return await transact(async (tx, announce) => {
    await tx.$queryRaw`SELECT id FROM access_tokens WHERE id = ${id} FOR UPDATE`;
    const token = requireToken(await tx.accessToken.findUnique({ where: { id }, include: withProject }), id);
    const changed = toToken(await change(tx, token));
    await announce({ kind: "token", tokenId: id });
    return changed;
  });
}

function requireToken(row: Row | null, id: number): AccessToken {
  if (row === null) throw tokenNotFound(id);
  return toToken(row);
}

function toToken(row: Row): AccessToken {
  const { id, name, isActive, createdAt, lastUsedAt, expiresAt } = row;
  return {
    id,
    name,
    projectUuid: row.project.uuid,
    environment: row.environment === "test" ? "test" : "live",
    scopes: row.scopes.filter(isScope),
    rateLimits: { perMinute: row.rateLimitPerMinute, perHour: row.rateLimitPerHour },
    isActive,
    createdAt,
    lastUsedAt,
    expiresAt,
  };
}

/** Prisma takes bytes on an ArrayBuffer of their own only. */
function toBytes(hash: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash);
}

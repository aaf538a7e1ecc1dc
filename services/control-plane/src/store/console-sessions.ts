import type { AuditInitiator } from "@gatehouse/audit";
import { lockRow, type PageRequest, type PageResult, readPage } from "@gatehouse/database";
import { unchanged, type WriteResult } from "@gatehouse/service";
import { adminKeyNotFound } from "../domain/admin-key.ts";
import { type SessionBounds, sessionEnd, sessionsPerKeyMax } from "../domain/console-session.ts";
import type { PrincipalChange } from "../domain/principal-change.ts";
import type { SignInGrant } from "../domain/sign-in/grant-of-claims.ts";
import { sessionEnded, sessionStarted } from "../events.ts";
import { type AdminKey as AdminKeyRow, type ConsoleSession as SessionRow, Prisma } from "../generated/prisma/client.ts";
import { type ResolvedAdminKey, toAdministrator } from "./administrator.ts";
import { type PersonIdentity, upsertPerson } from "./people.ts";
import { lockAdminKeys, type PrincipalStore, type Transaction } from "./principal-store.ts";

/** A person at the console. */
export interface ConsoleSession {
  readonly id: number;
  readonly administrator: ResolvedAdminKey;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** When it ends unless it is used before. */
  readonly endsAt: Date;
}

interface NewSession {
  readonly adminKeyId: number;
  /** SHA-256 of the key that was shown. */
  readonly keyHash: Uint8Array;
  /** SHA-256 of the id in the cookie. */
  readonly hash: Buffer;
  readonly userAgent: string;
}

/** Sessions that have all that is given. */
export interface SessionFilter {
  readonly id: number | undefined;
  readonly adminKeyId: number | undefined;
}

/** A person whom an identity provider has just named. */
export interface SignedIn {
  readonly identity: PersonIdentity;
  /** For the audit log; the subject is added where another administrator has it. */
  readonly name: string;
  readonly grant: SignInGrant;
  /** Hash of the attempt that ends so; it can end only once. */
  readonly attemptHash: Buffer;
  readonly attemptEndsAt: Date;
  /** SHA-256 of the id in the cookie. */
  readonly hash: Buffer;
  readonly userAgent: string;
}

/** Sessions of the console; those that are over are found no more, and deleted later. */
export interface ConsoleSessionStore {
  /** Undefined where the admin key does not work any more. */
  open(session: NewSession, ipAddress: string): Promise<ConsoleSession | undefined>;
  /**
   * For a person: what was granted now holds for all of the person's sessions. Undefined where the attempt has ended with a session
   * before.
   */
  openForPerson(signedIn: SignedIn, ipAddress: string): Promise<ConsoleSession | undefined>;
  /** Ends all sessions of a person whom an identity provider names; none where no person is known by that. */
  endOfPerson(
    identity: PersonIdentity,
    initiator: (session: ConsoleSession) => AuditInitiator,
  ): Promise<readonly ConsoleSession[]>;
  /** Undefined for a session that is unknown or over, or whose admin key is. */
  find(hash: Buffer): Promise<ConsoleSession | undefined>;
  /** Sessions that are not over, oldest first. @param adminKeyId of this key only, where given */
  list(page: PageRequest, adminKeyId: number | undefined): Promise<PageResult<ConsoleSession>>;
  /**
   * Ends those that are asked for, all together, and says which they were. @param initiator who ends each
   * @throws GatewayError `Admin key not found: <id>` where there is no such key.
   */
  end(
    filter: SessionFilter,
    initiator: (session: ConsoleSession) => AuditInitiator,
  ): Promise<readonly ConsoleSession[]>;
}

/** A session with its admin key, as Prisma reads them. */
export type Row = SessionRow & { readonly adminKey: AdminKeyRow };

const withKey = { adminKey: true } as const;

/** Sessions of the console, each under the hash of its id. Times come from `now`. */
export function createConsoleSessionStore(
  store: PrincipalStore,
  bounds: SessionBounds,
  wallNow: () => number,
): ConsoleSessionStore {
  const endAll = createEndAll(store, bounds, wallNow);
  return {
    open: async ({ adminKeyId, keyHash, hash, userAgent }, ipAddress) =>
      await store.write(async (tx) => {
        // Two sign-ins at once, or one and a revocation, go one after the other.
        await lockRow(tx, "admin_keys", { id: adminKeyId });
        const at = new Date(wallNow());
        const where = { id: adminKeyId, keyHash: new Uint8Array(keyHash), ...working(at) };
        const key = await tx.adminKey.findFirst({ where });
        if (key === null) return unchanged(undefined);
        return await insert(tx, { adminKeyId, hash, ipAddress, userAgent, at, bounds });
      }),
    openForPerson: async (signedIn, ipAddress) =>
      await store.write(async (tx) => {
        const at = new Date(wallNow());
        if (!(await endAttempt(tx, signedIn, at))) return unchanged(undefined);
        await lockAdminKeys(tx);
        const { adminKeyId, changes } = await upsertPerson(tx, signedIn);
        const { hash, userAgent } = signedIn;
        const made = await insert(tx, { adminKeyId, hash, ipAddress, userAgent, at, bounds });
        return { ...made, changes: [...changes, ...made.changes] };
      }),
    async find(hash) {
      const at = new Date(wallNow());
      const where = { sessionHash: new Uint8Array(hash), ...live(at, bounds) };
      const row = await store.read(
        async (client) => await client.consoleSession.findFirst({ where, include: withKey }),
      );
      return row === null ? undefined : toSession(row, bounds);
    },
    async list(page, adminKeyId) {
      const ofKey = adminKeyId === undefined ? {} : { adminKeyId };
      const toItem = (row: Row) => toSession(row, bounds);
      return await readPage(page, toItem, async ({ after, ...query }) => {
        const where = { ...live(new Date(wallNow()), bounds), ...ofKey, ...after };
        return await store.read(
          async (client) => await client.consoleSession.findMany({ where, include: withKey, ...query }),
        );
      });
    },
    end: async ({ id, adminKeyId }, initiator) => {
      if (adminKeyId !== undefined) await requireAdminKey(store, adminKeyId);
      const ofKey = adminKeyId === undefined ? {} : { adminKeyId };
      return await endAll({ ...(id === undefined ? {} : { id }), ...ofKey }, initiator);
    },
    endOfPerson: async ({ issuer: signInIssuer, subject: signInSubject }, initiator) =>
      await endAll({ adminKey: { signInIssuer, signInSubject } }, initiator),
  };
}

function createEndAll(store: PrincipalStore, bounds: SessionBounds, wallNow: () => number) {
  return async (filter: Prisma.ConsoleSessionWhereInput, initiator: (session: ConsoleSession) => AuditInitiator) =>
    await store.write(async (tx) => {
      const where = { AND: [filter, live(new Date(wallNow()), bounds)] };
      const ended: ConsoleSession[] = [];
      for (const row of await tx.consoleSession.findMany({ where, include: withKey })) {
        if ((await deleteSession(tx, row.id)) !== undefined) ended.push(toSession(row, bounds));
      }
      const events = ended.map((session) => sessionEnded(initiator(session), session));
      return { result: ended, changes: ended.map(changeOf), events };
    });
}

/** Keys are revoked and never deleted. @throws GatewayError `not_found` */
async function requireAdminKey(store: PrincipalStore, id: number): Promise<void> {
  const row = await store.read(async (client) => await client.adminKey.findUnique({ where: { id } }));
  if (row === null) throw adminKeyNotFound(id);
}

/** Ends every session of an admin key: with the key, or by request. Routers learn of it by the key's announcement. */
export async function endSessionsOf(tx: Transaction, adminKeyId: number): Promise<number> {
  return (await tx.consoleSession.deleteMany({ where: { adminKeyId } })).count;
}

interface Insertion {
  readonly adminKeyId: number;
  readonly at: Date;
  readonly hash: Buffer;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly bounds: SessionBounds;
}

async function insert(tx: Transaction, insertion: Insertion): Promise<WriteResult<ConsoleSession, PrincipalChange>> {
  const { adminKeyId, hash, ipAddress, userAgent, at, bounds } = insertion;
  const ended = await makeRoom(tx, adminKeyId, at);
  const times = { createdAt: at, lastUsedAt: at, expiresAt: new Date(at.getTime() + bounds.lifeMs) };
  const data = { adminKeyId, sessionHash: new Uint8Array(hash), ipAddress, userAgent, ...times };
  const session = toSession(await tx.consoleSession.create({ data, include: withKey }), bounds);
  return { result: session, changes: ended.map(changeOf), events: [sessionStarted(session)] };
}

/** Notes that an attempt has ended. @returns false where it had before */
async function endAttempt(tx: Transaction, { attemptHash, attemptEndsAt }: SignedIn, at: Date): Promise<boolean> {
  await tx.endedSignIn.deleteMany({ where: { expiresAt: { lte: at } } });
  const data = { attemptHash: new Uint8Array(attemptHash), expiresAt: attemptEndsAt };
  return (await tx.endedSignIn.createMany({ data, skipDuplicates: true })).count === 1;
}

function working(at: Date) {
  return { isActive: true, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] };
}

function live(at: Date, { idleMs }: SessionBounds) {
  return {
    expiresAt: { gt: at },
    lastUsedAt: { gt: new Date(at.getTime() - idleMs) },
    adminKey: working(at),
  };
}

function changeOf({ id }: { readonly id: number }): PrincipalChange {
  return { kind: "console_session", sessionId: id };
}

/**
 * Sessions that are over go, of whatever key, and the least recently used of this key where it has too many: a person at work keeps
 * the session, however many sign-ins came after it. Uses are written every few seconds, so those of the last moment do not count yet.
 * @returns the latter
 */
async function makeRoom(tx: Transaction, adminKeyId: number, at: Date): Promise<readonly { readonly id: number }[]> {
  await tx.consoleSession.deleteMany({ where: { expiresAt: { lte: at } } });
  const ended = await tx.consoleSession.findMany({
    where: { adminKeyId },
    orderBy: [{ lastUsedAt: "desc" }, { id: "desc" }],
    skip: sessionsPerKeyMax - 1,
    select: { id: true },
  });
  for (const { id } of ended) await deleteSession(tx, id);
  return ended;
}

async function deleteSession(tx: Transaction, id: number): Promise<Row | undefined> {
  try {
    return await tx.consoleSession.delete({ where: { id }, include: withKey });
  } catch (err) {
    if (err instanceof Prisma.PrismaClientKnownRequestError && err.code === "P2025") return undefined;
    throw err;
  }
}

function toSession(row: Row, bounds: SessionBounds): ConsoleSession {
  const { id, ipAddress, userAgent, createdAt, lastUsedAt } = row;
  const administrator = toAdministrator(row.adminKey);
  return { id, administrator, ipAddress, userAgent, createdAt, lastUsedAt, endsAt: sessionEnd(row, bounds) };
}

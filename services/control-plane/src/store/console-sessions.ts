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

/** Session of an administrator at the console. Its id in the cookie is absent, since only the hash is stored. */
export interface ConsoleSession {
  readonly id: number;
  readonly administrator: ResolvedAdminKey;
  readonly ipAddress: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  /** Time at which it ends unless it is used before. */
  readonly endsAt: Date;
}

interface NewSession {
  readonly adminKeyId: number;
  /** SHA-256 of the admin key. */
  readonly keyHash: Uint8Array;
  /** SHA-256 of the id in the cookie. */
  readonly hash: Buffer;
  readonly userAgent: string;
}

/** Sessions that match all given members. */
export interface SessionFilter {
  readonly id: number | undefined;
  readonly adminKeyId: number | undefined;
}

/** A person whom an identity provider has just authenticated. */
export interface SignedIn {
  readonly identity: PersonIdentity;
  /** For the audit log; extended by the subject where another administrator has the name. */
  readonly name: string;
  readonly grant: SignInGrant;
  /** Hash of the sign-in attempt, which may succeed once. */
  readonly attemptHash: Buffer;
  readonly attemptEndsAt: Date;
  /** SHA-256 of the id in the cookie. */
  readonly hash: Buffer;
  readonly userAgent: string;
}

/** Console sessions; ended ones are never returned, and deleted later. */
export interface ConsoleSessionStore {
  /** Undefined where the admin key is no longer valid. */
  open(session: NewSession, ipAddress: string): Promise<ConsoleSession | undefined>;
  /**
   * Opens a session for a person, and applies the present grant to all of the person's sessions. Undefined where the attempt was
   * used before.
   */
  openForPerson(signedIn: SignedIn, ipAddress: string): Promise<ConsoleSession | undefined>;
  /** Ends all sessions of an identity provider's person; none for an unknown one. */
  endOfPerson(
    identity: PersonIdentity,
    initiator: (session: ConsoleSession) => AuditInitiator,
  ): Promise<readonly ConsoleSession[]>;
  /** Undefined for an unknown or ended session, or one of an invalid admin key. */
  find(hash: Buffer): Promise<ConsoleSession | undefined>;
  /** Present sessions, oldest first. @param adminKeyId restricts the list to this key */
  list(page: PageRequest, adminKeyId: number | undefined): Promise<PageResult<ConsoleSession>>;
  /**
   * Ends the matching sessions together, and returns them. @param initiator the author of each end
   * @throws GatewayError `Admin key not found: <id>` for an unknown key
   */
  end(
    filter: SessionFilter,
    initiator: (session: ConsoleSession) => AuditInitiator,
  ): Promise<readonly ConsoleSession[]>;
}

/** A session with its admin key, as Prisma reads them. */
export type Row = SessionRow & { readonly adminKey: AdminKeyRow };

const withKey = { adminKey: true } as const;

/** Store of console sessions, each under the hash of its id. Times come from `now`. */
export function createConsoleSessionStore(
  store: PrincipalStore,
  bounds: SessionBounds,
  wallNow: () => number,
): ConsoleSessionStore {
  const endAll = createEndAll(store, bounds, wallNow);
  return {
    open: async ({ adminKeyId, keyHash, hash, userAgent }, ipAddress) =>
      await store.write(async (tx) => {
        // Serialises concurrent sign-ins and revocations of a key.
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

/** Checks that a key exists; keys are revoked and never deleted. @throws GatewayError `not_found` */
async function requireAdminKey(store: PrincipalStore, id: number): Promise<void> {
  const row = await store.read(async (client) => await client.adminKey.findUnique({ where: { id } }));
  if (row === null) throw adminKeyNotFound(id);
}

/** Ends every session of an admin key. Routers are notified by the key's announcement. */
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

/** Records the use of an attempt. @returns false where it was used before */
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
 * Deletes ended sessions of all keys, and this key's least recently used ones over the bound, so that a person at work keeps the
 * session whatever the number of later sign-ins. Uses are written every few seconds, so the latest do not count yet.
 * @returns the deleted sessions of this key that had not ended
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

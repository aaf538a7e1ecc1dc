import { createHash } from "node:crypto";
import { allowanceBounds as bounds } from "./bounds.ts";

/** A user of a token, as the application names them; undefined stands for all calls that name no user. */
export type UserName = string | undefined;

/** UUIDs of ledgers that are users' have this version (RFC 9562: custom); those of endpoints are random, version 4. */
const userVersion = "8";
/** RFC 9562, 4.1. */
const variant = "8";
/** Index of the version in the text of a UUID. */
const versionAt = 14;

/** Whether a ledger is that of a user; all others are endpoints'. */
export function isUserLedger(ledgerUuid: string): boolean {
  return ledgerUuid.charAt(versionAt) === userVersion;
}

/** As {@link isUserLedger}, as SQL for a column. */
export function isUserLedgerSql(column: string): string {
  return `substr(${column}::text, ${versionAt + 1}, 1) = '${userVersion}'`;
}

/** A user's name does not leave its calls: ledgers and windows are known by this. */
function ledgerOf(tokenId: number, user: string | null): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([tokenId, user]))
    .digest("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), userVersion + hex.slice(12, 15), variant + hex.slice(15, 18)];
  return [...parts, hex.slice(18, 30)].join("-");
}

/** A token that names users, and the project that it belongs to. */
interface NamingToken {
  readonly tokenId: number;
  readonly projectUuid: string;
  /** Time for which calls of the project go on while the ledger is away; 0 when absent. */
  readonly ledgerGraceMs?: number;
}

interface KnownUser {
  readonly ledgerUuid: string;
  usedAtMs: number;
  idleMs: number;
}

type UsersOfToken = Map<string, KnownUser>;

interface UsersOfProject {
  count: number;
  readonly byToken: Map<number, UsersOfToken>;
}

/**
 * The users whose limits this replica keeps. Names are the callers' to invent, so they are bounded: while a token has as many
 * users in use as it may have, further ones count as one user together, as calls that name no user do. Where all places are
 * taken, a project gets those of the project that has most, until it has as many: no project's names cost another its own. A
 * user whose place is taken loses nothing but the place, since its ledger follows from its name.
 */
export class KnownUsers {
  readonly #byProject = new Map<string, UsersOfProject>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The UUID of the ledger that a user's calls are counted in. `nowMs` by the clock that `forgetIdle` is given. */
  ledgerOf(token: NamingToken, user: UserName, nowMs: number): string {
    const { tokenId, projectUuid } = token;
    if (user === undefined) return ledgerOf(tokenId, null);
    const project = this.#byProject.get(projectUuid) ?? { count: 0, byToken: new Map<number, UsersOfToken>() };
    const users = project.byToken.get(tokenId) ?? new Map<string, KnownUser>();
    const known = users.get(user);
    if (known !== undefined) {
      known.usedAtMs = nowMs;
      known.idleMs = idleMsOf(token);
      return known.ledgerUuid;
    }
    if (users.size >= bounds.usersOfTokenMax || !this.#makeRoomFor(project)) return ledgerOf(tokenId, null);
    const made = { ledgerUuid: ledgerOf(tokenId, user), usedAtMs: nowMs, idleMs: idleMsOf(token) };
    users.set(user, made);
    project.byToken.set(tokenId, users);
    project.count += 1;
    this.#byProject.set(projectUuid, project);
    this.#count += 1;
    return made.ledgerUuid;
  }

  /** Frees the places of users whose leases are idle: one freed before would let its lease be kept beside the next user's. */
  forgetIdle(nowMs: number): void {
    for (const [projectUuid, project] of this.#byProject) {
      for (const [tokenId, users] of project.byToken) {
        for (const [user, { usedAtMs, idleMs }] of users) {
          if (nowMs - usedAtMs >= idleMs) this.#forget(project, users, user);
        }
        if (users.size === 0) project.byToken.delete(tokenId);
      }
      if (project.count === 0) this.#byProject.delete(projectUuid);
    }
  }

  /** Only a project with at least two users less loses a place, so that two projects never take one place from each other in turn. */
  #makeRoomFor(project: UsersOfProject): boolean {
    if (this.#count < bounds.usersMax) return true;
    const largest = findLargest(this.#byProject.values(), ({ count }) => count);
    if (largest === undefined || largest.count < project.count + 2) return false;
    const users = findLargest(largest.byToken.values(), ({ size }) => size);
    const [oldest] = users?.keys() ?? [];
    if (users === undefined || oldest === undefined) return false;
    this.#forget(largest, users, oldest);
    return true;
  }

  #forget(project: UsersOfProject, users: UsersOfToken, user: string): void {
    users.delete(user);
    project.count -= 1;
    this.#count -= 1;
  }
}

/** Time for which an unused user is kept: that of the leases of the token's users. */
function idleMsOf({ ledgerGraceMs = 0 }: NamingToken): number {
  return ledgerGraceMs > 0 ? bounds.idleWithGraceMs : bounds.idleMs;
}

function findLargest<T>(candidates: Iterable<T>, sizeOf: (candidate: T) => number): T | undefined {
  let largest: T | undefined;
  for (const candidate of candidates) {
    if (largest === undefined || sizeOf(candidate) > sizeOf(largest)) largest = candidate;
  }
  return largest;
}

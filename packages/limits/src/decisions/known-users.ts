import { createHash } from "node:crypto";
import { allowanceBounds as bounds } from "./bounds.ts";

/** User of a token, as named by the application; undefined for all calls without a user. */
export type UserName = string | undefined;

/** UUID version of users' ledgers (RFC 9562: custom); those of endpoints are random, version 4. */
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

/** UUID of a user's ledger, derived from token and name, so that the name itself is not stored in ledgers and windows. */
function ledgerOf(tokenId: number, user: string | null): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([tokenId, user]))
    .digest("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), userVersion + hex.slice(12, 15), variant + hex.slice(15, 18)];
  return [...parts, hex.slice(18, 30)].join("-");
}

/** A token that names users, and its project. */
interface NamingToken {
  readonly tokenId: number;
  readonly projectUuid: string;
  /** Time for which calls of the project go on during an outage of the ledger; 0 when absent. */
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
 * The users with separate limits in this replica. Callers can invent names, so they are bounded: beyond a token's bound of users
 * in use, further ones count as one user, together with calls that name none. When all places are taken, a project gets places of
 * the project with the most, until both have equally many: no project's names cost another its fair share. A user who loses a
 * place loses nothing else, since its ledger is derived from its name.
 */
export class KnownUsers {
  readonly #byProject = new Map<string, UsersOfProject>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** UUID of the ledger for a user's calls. `nowMs` is on the clock of `forgetIdle`. */
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

  /** Frees the places of users whose leases are idle; freeing one earlier would keep its lease beside the next user's. */
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

  /** Takes a place from a project with at least two users more, so that two projects never take one place from each other in turn. */
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

/** Time for which an unused user is kept, equal to that of the token's leases. */
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

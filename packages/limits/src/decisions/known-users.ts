import { createHash } from "node:crypto";
import { allowanceBounds as bounds } from "./bounds.ts";

/** A user of a token, as the application names them; undefined stands for all calls that name nobody. */
export type UserName = string | undefined;

/** UUIDs of ledgers that are users' have this version (RFC 9562: custom); those of endpoints are random, version 4. */
const userVersion = "8";
/** RFC 9562, 4.1. */
const variant = "8";
/** Where a UUID has its version. */
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

interface KnownUser {
  readonly ledgerUuid: string;
  usedAtMs: number;
}

/**
 * The users whose limits this replica keeps. Names are the callers' to invent, so they are bounded: while a token has as many
 * users in use as it may have, further ones count as one user together, which is also what calls that name nobody count as.
 */
export class KnownUsers {
  readonly #byToken = new Map<number, Map<string, KnownUser>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The UUID of the ledger that a user's calls are counted in. `nowMs` by the clock that `forgetIdle` is given. */
  ledgerOf(tokenId: number, user: UserName, nowMs: number): string {
    if (user === undefined) return ledgerOf(tokenId, null);
    const users = this.#byToken.get(tokenId);
    const known = users?.get(user);
    if (known !== undefined) {
      known.usedAtMs = nowMs;
      return known.ledgerUuid;
    }
    if (this.#count >= bounds.usersMax || (users?.size ?? 0) >= bounds.usersOfTokenMax) return ledgerOf(tokenId, null);
    const made = { ledgerUuid: ledgerOf(tokenId, user), usedAtMs: nowMs };
    if (users === undefined) this.#byToken.set(tokenId, new Map([[user, made]]));
    else users.set(user, made);
    this.#count += 1;
    return made.ledgerUuid;
  }

  forgetIdle(nowMs: number): void {
    for (const [tokenId, users] of this.#byToken) {
      for (const [user, { usedAtMs }] of users) {
        if (nowMs - usedAtMs < bounds.idleMs) continue;
        users.delete(user);
        this.#count -= 1;
      }
      if (users.size === 0) this.#byToken.delete(tokenId);
    }
  }
}

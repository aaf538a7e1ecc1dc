import type { AuditInitiator } from "@gatehouse/audit";
import { adminActor } from "@gatehouse/principal";

/** Lifetime of a console session, milliseconds. */
export interface SessionBounds {
  /** Longest time between two uses. */
  readonly idleMs: number;
  /** Longest time from the sign-in, however often it is used. */
  readonly lifeMs: number;
}

/** Sessions that one administrator may have at once; a further one ends the least recently used. */
export const sessionsPerKeyMax = 50;

/** Length of the browser's `User-Agent` that is kept, characters: enough to tell one's own sessions apart. */
export const userAgentLengthMax = 200;

interface SessionTimes {
  readonly lastUsedAt: Date;
  /** The latest end. */
  readonly expiresAt: Date;
}

/** When a session ends unless it is used before. */
export function sessionEnd({ lastUsedAt, expiresAt }: SessionTimes, { idleMs }: SessionBounds): Date {
  return new Date(Math.min(expiresAt.getTime(), lastUsedAt.getTime() + idleMs));
}

/** The initiator of an administrator's change that is about no project. */
export function adminInitiator(name: string, ipAddress: string): AuditInitiator {
  return { actor: adminActor(name), ipAddress, project: null, traceparent: "" };
}

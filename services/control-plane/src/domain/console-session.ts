import type { AuditInitiator } from "@gatehouse/audit";
import { adminActor } from "@gatehouse/principal";

/** Milliseconds. */
export interface SessionBounds {
  /** Longest time between two uses. */
  readonly idleMs: number;
  /** Longest time from the sign-in, however often it is used. */
  readonly lifeMs: number;
}

/** Sessions of one administrator; a further one ends the least recently used. */
export const sessionsPerKeyMax = 50;

/** Stored characters of the browser's `User-Agent`: enough to tell one's sessions apart. */
export const userAgentLengthMax = 200;

interface SessionTimes {
  readonly lastUsedAt: Date;
  /** The latest end. */
  readonly expiresAt: Date;
}

/** Time at which a session ends unless it is used before. */
export function sessionEnd({ lastUsedAt, expiresAt }: SessionTimes, { idleMs }: SessionBounds): Date {
  return new Date(Math.min(expiresAt.getTime(), lastUsedAt.getTime() + idleMs));
}

/** Initiator of an administrator's change that concerns no project. */
export function adminInitiator(name: string, ipAddress: string): AuditInitiator {
  return { actor: adminActor(name), ipAddress, project: null, traceparent: "" };
}

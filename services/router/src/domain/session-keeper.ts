import type { NamedProvider, SignInReturn } from "@gatehouse/principal";

/** A console session as shown to its page. */
export interface ShownSession {
  /** Id of the row; not a credential. */
  readonly id: number;
  readonly adminKeyId: number;
  readonly name: string;
  readonly role: string;
  /** Null: the whole gateway. */
  readonly projects: readonly string[] | null;
  /** Time at which the session ends unless it is used before. */
  readonly expiresAt: Date | undefined;
}

interface SessionRequest {
  readonly adminKeyId: number;
  /** SHA-256 of the admin key. */
  readonly keyHash: Buffer;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** Reason of a failed sign-in: a word of a closed list that the console knows. */
export interface SignInRefusal {
  readonly refusal: string;
}

/** Signs people in (at the control plane). Every call has a bound. */
export interface SignInService {
  list(): Promise<readonly NamedProvider[]>;
  start(providerId: string): Promise<{ readonly url: string; readonly attempt: string } | SignInRefusal>;
  finish(request: SignInReturn): Promise<OpenedSession | SignInRefusal>;
}

interface OpenedSession {
  readonly session: ShownSession;
  /** Plaintext, returned only here. */
  readonly sessionId: string;
}

/** Stores the console's sessions (at the control plane). Every call has a bound. */
export interface SessionKeeper {
  /** Undefined where the admin key is no longer valid. `sessionId` is the plaintext, returned only here. */
  open(request: SessionRequest): Promise<OpenedSession | undefined>;
  /** Counts as a use of the session. Undefined for an unknown or ended session. */
  find(sessionHash: Buffer): Promise<ShownSession | undefined>;
  /** Idempotent. Invalidates this router's cache at once; other routers are notified. */
  end(sessionId: number, ipAddress: string): Promise<void>;
}

import type { NamedProvider, SignInReturn } from "@gatehouse/principal";

/** A console session, as its page sees it. */
export interface ShownSession {
  /** Id of its row: says which one it is, and opens nothing. */
  readonly id: number;
  readonly adminKeyId: number;
  readonly name: string;
  readonly role: string;
  /** Null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
  /** When it ends unless it is used before. */
  readonly expiresAt: Date | undefined;
}

interface SessionRequest {
  readonly adminKeyId: number;
  /** SHA-256 of the key that was shown. */
  readonly keyHash: Buffer;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** Reason of a failed sign-in: one of a closed list of words, which the console knows. */
export interface SignInRefusal {
  readonly refusal: string;
}

/** Service that signs people in (the control plane). Every call ends within a bound. */
export interface SignInService {
  list(): Promise<readonly NamedProvider[]>;
  start(providerId: string): Promise<{ readonly url: string; readonly attempt: string } | SignInRefusal>;
  finish(request: SignInReturn): Promise<OpenedSession | SignInRefusal>;
}

interface OpenedSession {
  readonly session: ShownSession;
  /** The plaintext, this once. */
  readonly sessionId: string;
}

/** Service that keeps the console's sessions (the control plane). Every call ends within a bound. */
export interface SessionKeeper {
  /** Undefined where the admin key does not work any more. `sessionId` is the plaintext, this once. */
  open(request: SessionRequest): Promise<OpenedSession | undefined>;
  /** Counts as a use. Undefined for a session that is unknown or over. */
  find(sessionHash: Buffer): Promise<ShownSession | undefined>;
  /** Forgotten here at once, and elsewhere as soon as it is heard. Repeating it is harmless. */
  end(sessionId: number, ipAddress: string): Promise<void>;
}

/** A console session, as its page sees it. */
export interface ShownSession {
  readonly name: string;
  readonly role: string;
  /** Null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
  /** When it ends unless it is used before. */
  readonly expiresAt: Date | undefined;
}

export interface SessionWish {
  readonly adminKeyId: number;
  /** SHA-256 of the key that was shown. */
  readonly keyHash: Buffer;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** Who keeps the console's sessions. Each question ends within a bound. */
export interface SessionKeeper {
  /** Undefined where the admin key does not work any more. `sessionId` is the plaintext, this once. */
  open(wish: SessionWish): Promise<{ readonly session: ShownSession; readonly sessionId: string } | undefined>;
  /** Counts as a use. Undefined for a session that is unknown or over. */
  find(sessionHash: Buffer): Promise<ShownSession | undefined>;
  /** Forgotten here at once, and elsewhere as soon as it is heard. Repeating it is harmless. */
  end(sessionId: number, ipAddress: string): Promise<void>;
}

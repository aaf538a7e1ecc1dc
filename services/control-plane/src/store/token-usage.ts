import type { Logger } from "@gatehouse/telemetry";
import type pg from "pg";

const flushIntervalMs = 5_000;
/** Tokens that wait to be written; further ones are noted the next time they are used. */
const pendingTokensMax = 10_000;

const writeUsage = `
  UPDATE access_tokens t SET last_used_at = greatest(t.last_used_at, used.at)
    FROM unnest($1::int[], $2::timestamptz[]) AS used(id, at) WHERE t.id = used.id`;

/** Notes when tokens were last used, and writes it in batches, away from the question that used them. */
export class TokenUsage {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #pending = new Map<number, Date>();
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs);
  }

  /** Writes what is left, once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  record(tokenId: number, at: Date): void {
    if (this.#pending.size < pendingTokensMax || this.#pending.has(tokenId)) this.#pending.set(tokenId, at);
  }

  /** Never rejects: what could not be written is kept, unless newer uses have taken its place. */
  async flush(): Promise<void> {
    const batch = this.#pending;
    if (batch.size === 0) return;
    this.#pending = new Map();
    try {
      await this.#pool.query(writeUsage, [[...batch.keys()], [...batch.values()]]);
    } catch (err) {
      this.#log.warn({ err, tokens: batch.size }, "When tokens were last used could not be written; trying again.");
      for (const [tokenId, at] of batch) if (!this.#pending.has(tokenId)) this.record(tokenId, at);
    }
  }
}

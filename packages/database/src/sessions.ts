import type pg from "pg";

/** The database is behind a pooler without a session per connection, such as PgBouncer in transaction or statement mode. */
export class SharedSessionsError extends Error {
  constructor() {
    super(
      "leads to a pooler that shares sessions among connections (PgBouncer's pool_mode = transaction or statement). Gatehouse listens for notices and sets its schema by session: set pool_mode = session for its databases, or name Postgres itself",
    );
    this.name = "SharedSessionsError";
  }
}

/** Repetitions of the check: a busy pooler may return the same session by chance, but not this often. */
const rounds = 4;

/**
 * Detects a pooler that shares sessions: two open connections must have two sessions, each the same for every statement.
 * @throws SharedSessionsError
 */
export async function requireSessions(connect: () => Promise<pg.Client>): Promise<void> {
  const first = await connect();
  try {
    const second = await connect();
    try {
      const sessions = await Promise.all([sessionOf(first), sessionOf(second)]);
      for (let round = 0; round < rounds; round += 1) {
        const [one, other] = [await sessionOf(first), await sessionOf(second)];
        if (one === other || one !== sessions[0] || other !== sessions[1]) throw new SharedSessionsError();
      }
    } finally {
      await second.end().catch(() => {});
    }
  } finally {
    await first.end().catch(() => {});
  }
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid;
}

import type pg from "pg";

/** The database is behind a pooler that gives a connection no session to itself, as PgBouncer does in transaction and statement mode. */
export class SharedSessionsError extends Error {
  constructor() {
    super(
      "leads to a pooler that shares sessions among connections (PgBouncer's pool_mode = transaction or statement). Gatehouse listens for notices and sets its schema by session: set pool_mode = session for its databases, or name Postgres itself",
    );
    this.name = "SharedSessionsError";
  }
}

/** A busy pooler may by chance give a connection the same session again; so often it does not. */
const rounds = 4;

/**
 * Two connections that are open at once have two sessions, each the same at every statement: one session in both, or another one at the
 * next statement, is proof of a pooler that shares them. @throws SharedSessionsError
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

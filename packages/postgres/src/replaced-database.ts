import { withConnection } from "./ensure-database.ts";

/**
 * Takes a database away from its processes, as a server does that is replaced by another one behind the same address: their sessions
 * end, and new ones find an empty database or none.
 * @returns brings it back
 */
export async function replaceDatabase(url: string, by: "empty" | "none"): Promise<() => Promise<void>> {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  const kept = `${name}_kept`;
  server.pathname = "/postgres";
  const run = async (...statements: readonly string[]) =>
    await withConnection(server.href, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  await run(
    `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    `ALTER DATABASE ${name} RENAME TO ${kept}`,
    ...(by === "empty" ? [`CREATE DATABASE ${name}`] : []),
  );
  return async () =>
    await run(
      ...(by === "empty" ? [`DROP DATABASE ${name} WITH (FORCE)`] : []),
      `ALTER DATABASE ${kept} RENAME TO ${name}`,
      `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`,
    );
}

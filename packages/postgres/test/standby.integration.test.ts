import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withConnection } from "../src/ensure-database.ts";
import { startPostgres } from "../src/index.ts";
import { crashPostgres, promoteStandby, startStandby } from "../src/testing.ts";

test("a standby has its primary's data after a crash, takes over its address, and can have a standby itself", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-standby-"));
  await chmod(folder, 0o711);
  const server = (name: string) => ({ dataDir: join(folder, name), logFile: join(folder, `${name}.log`) });
  let primary = await startPostgres(server("first"));
  const write = async (text: string) =>
    await withConnection(primary.url, async (client) => await client.query("INSERT INTO facts VALUES ($1)", [text]));
  try {
    await withConnection(primary.url, async (client) => await client.query("CREATE TABLE facts (text text)"));
    await write("before the copy");
    const { port } = primary;
    for (const name of ["second", "third"]) {
      const standby = await startStandby(primary, server(name));
      await write(`while ${name} follows`);
      await crashPostgres(primary);
      await standby.stop();
      primary = await startPostgres({ ...server(name), port });
      await expect(write("refused")).rejects.toThrow(/read-only/);
      await promoteStandby(primary);
      await write(`after ${name}`);
    }
    const { rows } = await withConnection(primary.url, async (client) => await client.query("SELECT text FROM facts"));
    expect(rows.map(({ text }) => String(text))).toEqual([
      "before the copy",
      "while second follows",
      "after second",
      "while third follows",
      "after third",
    ]);
  } finally {
    await primary.stop();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);

import { Client } from "pg";
import { expect, it } from "vitest";
import { createTestDatabase } from "../src/testing.ts";

it("gives each caller a separate empty database, and removes it with the connections that are still open", async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  expect(first.url).not.toBe(second.url);
  const client = new Client({ connectionString: first.url });
  client.on("error", () => undefined);
  await client.connect();
  const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'");
  expect(tables.rowCount).toBe(0);
  await Promise.all([first.drop(), second.drop()]);
  await expect(client.query("SELECT 1")).rejects.toThrow();
  await expect(new Client({ connectionString: first.url }).connect()).rejects.toMatchObject({ code: "3D000" });
});

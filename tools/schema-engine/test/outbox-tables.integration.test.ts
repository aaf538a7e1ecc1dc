import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { outboxMigration, outboxModel } from "@gatehouse/audit";
import { expect, test } from "vitest";

const workspaceRoot = dirname(dirname(dirname(import.meta.dirname)));
const migrations = globSync("services/*/prisma/migrations/*_audit_outbox/migration.sql", { cwd: workspaceRoot });

test("there are outboxes to look at", () => {
  expect(migrations.length).toBeGreaterThanOrEqual(3);
});

test.each(migrations)("%s is the one table of all outboxes, and the schema declares it", async (path) => {
  expect(await readFile(join(workspaceRoot, path), "utf8")).toBe(outboxMigration);
  const folder = join(workspaceRoot, dirname(dirname(dirname(path))));
  const schemas = globSync("*.prisma", { cwd: folder });
  const texts = await Promise.all(schemas.map(async (name) => await readFile(join(folder, name), "utf8")));
  expect(texts.filter((text) => text.includes(outboxModel))).toHaveLength(1);
});

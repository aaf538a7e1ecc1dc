import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { outboxMigration, outboxModel } from "../src/index.ts";

const services = fileURLToPath(new URL("../../../services/", import.meta.url));

test("every service that has an outbox has the same table, in its migration and in its schema", async () => {
  const migrations = await Array.fromAsync(glob("*/prisma/migrations/*_audit_outbox/migration.sql", { cwd: services }));
  expect(migrations.length).toBeGreaterThanOrEqual(3);
  for (const path of migrations) {
    expect({ path, text: await readFile(`${services}${path}`, "utf8") }).toEqual({ path, text: outboxMigration });
    const folder = `${services}${path.split("/")[0] ?? ""}/prisma/`;
    const schemas = await Array.fromAsync(glob("*.prisma", { cwd: folder }));
    const texts = await Promise.all(schemas.map(async (name) => await readFile(`${folder}${name}`, "utf8")));
    expect(
      texts.some((text) => text.includes(outboxModel)),
      folder,
    ).toBe(true);
  }
});

import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

const workspaceRoot = dirname(dirname(dirname(import.meta.dirname)));
const services = globSync("services/*/prisma", { cwd: workspaceRoot }).map((path) => dirname(path));
const packageFile = createRequire(import.meta.url).resolve("prisma/package.json");
const config = join(workspaceRoot, "tools", "schema-engine", "prisma.config.mjs");
const prisma = join(dirname(packageFile), "build", "index.js");

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

it("finds services with a schema, so that the check below has something to look at", () => {
  expect(services).not.toHaveLength(0);
});

it.each(services)("%s: its migrations, run in order, give its schema", { timeout: 60_000 }, async (service) => {
  const cwd = join(workspaceRoot, service);
  expect(existsSync(join(cwd, "prisma", "migrations"))).toBe(true);
  const paths = ["--config", config, "--from-migrations", "prisma/migrations", "--to-schema", "prisma"];
  const env = { ...process.env, DATABASE_URL: database.url, CHECKPOINT_DISABLE: "1" };
  const run = promisify(execFile)(process.execPath, [prisma, "migrate", "diff", ...paths, "--exit-code"], { cwd, env });
  const outcome = await run.then(
    ({ stdout }) => stdout,
    (error: unknown) =>
      error instanceof Error && "stdout" in error ? `${error.message}\n${String(error.stdout)}` : String(error),
  );
  expect(outcome).toContain("No difference detected");
});

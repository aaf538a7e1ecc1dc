import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { openTestAdmin } from "@gatehouse/admin/testing";
import { createInProcessTransport } from "@gatehouse/events";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import type { AdminServiceDefinition } from "@gatehouse/proto/admin";
import type { RpcBinding } from "@gatehouse/rpc";
import { type DatabaseConfig, type ServiceProgram, ServiceSet } from "@gatehouse/service";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { operationOwners } from "@gatehouse/trust";
import { Secret } from "@gatehouse/vault";
import { afterAll, beforeAll, expect, test } from "vitest";
import { instantiate, placesElsewhere } from "../src/instantiate.ts";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const prisma = join(dirname(require.resolve("prisma/package.json")), "build", "index.js");

const prismaConfig = join(import.meta.dirname, "..", "..", "schema-engine", "prisma.config.mjs");

/** Inside this workspace, so that its packages resolve. */
const folder = join(import.meta.dirname, "..", `.instance-${randomUUID()}`);

/** Most files of a new service, apart from other files that name it. */
const filesMax = 11;

let database: TestDatabase;
let files: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  files = await instantiate("price-book", folder);
  const env = { ...process.env, CHECKPOINT_DISABLE: "1" };
  await run(process.execPath, [prisma, "generate", "--config", prismaConfig], { cwd: folder, env });
}, 120_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await database.drop();
});

test("a new service is a few files, and none of them speaks of the template", async () => {
  expect(files).toContain("test/price-book.integration.test.ts");
  expect(files.length).toBeLessThanOrEqual(filesMax);
  for (const file of files) expect(await readFile(join(folder, file), "utf8"), file).not.toMatch(/template/i);
});

test.each(placesElsewhere)("$file is a place that names services", async ({ file }) => {
  const text = await readFile(join(import.meta.dirname, "..", "..", "..", file), "utf8");
  for (const name of ["logbook", "webhook-dispatcher"]) expect(text).toContain(name);
});

test("each service that binds operations is among their owners, which the Control Plane asks", () => {
  const root = join(import.meta.dirname, "..", "..", "..");
  const binding = globSync("services/*/src/app.ts", { cwd: root }).filter((path) =>
    readFileSync(join(root, path), "utf8").includes("bindAdmin("),
  );
  expect(new Set(binding.map((path) => path.split(/[\\/]/)[1]))).toEqual(new Set(operationOwners));
});

test("it starts, writes, reports that it is ready, and stops", async () => {
  const { priceBookProgram: program } = (await import(pathToFileURL(join(folder, "src/program.ts")).href)) as {
    readonly priceBookProgram: ServiceProgram<DatabaseConfig>;
  };
  const config = { databaseUrl: new Secret(database.url), databaseConnectionsMax: 4 };
  const telemetry = createSilentTelemetry();
  const service = new ServiceSet().add((host) => program.create(config, host), {
    telemetry,
    events: createInProcessTransport(),
    connect: () => {
      throw new Error("It calls no other service.");
    },
    ownAddresses: [],
  });
  expect(service.name).toBe("price-book");
  await service.start();
  expect(await service.readiness()).toEqual({ ready: true, problems: [] });
  const admin = openTestAdmin(service.rpc[0] as unknown as RpcBinding<typeof AdminServiceDefinition>);
  const project = randomUUID();
  const created = await admin.call("svc_create_thing", { project, name: "first" });
  expect(await admin.call("svc_list_things", { project })).toMatchObject({ things: [created] });
  await service.stop();
  expect(await service.readiness()).toEqual({ ready: false, problems: ["stopping"] });
});

test("its migrations, run in order, give its schema", { timeout: 120_000 }, async () => {
  const env = { ...process.env, DATABASE_URL: database.url, CHECKPOINT_DISABLE: "1" };
  const paths = ["--config", prismaConfig, "--from-migrations", "prisma/migrations", "--to-schema", "prisma"];
  const { stdout } = await run(process.execPath, [prisma, "migrate", "diff", ...paths], { cwd: folder, env });
  expect(stdout).toContain("No difference detected");
});

test("it compiles under the workspace's rules", { timeout: 120_000 }, async () => {
  const config = {
    extends: "../../../tsconfig.base.json",
    compilerOptions: { noEmit: true, customConditions: ["@gatehouse/source"] },
    include: ["src", "test"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(import.meta.dirname, "..", "..", "..", "node_modules", ".bin", "tsc");
  const outcome = await run(tsc, ["-p", folder]).catch((err: unknown) => err as { readonly stdout: string });
  expect(outcome.stdout).toBe("");
});

test.each(["", "Chat", "a_b", "-a", "a--b", "x".repeat(41), "../a"])("%j is refused as a name", async (name) => {
  await expect(instantiate(name, join(folder, "never"))).rejects.toThrow("is not a name of a service");
});

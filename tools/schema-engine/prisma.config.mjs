import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";

const service = process.cwd();

// The schema engine comes from this workspace, so that Prisma needs no download.
process.env["PRISMA_SCHEMA_ENGINE_BINARY"] ??= createRequire(import.meta.url).resolve("./src/main.mjs");

export default {
  schema: join(service, "prisma"),
  migrations: { path: join(service, "prisma", "migrations") },
  datasource: { url: process.env["DATABASE_URL"] ?? "" },
};

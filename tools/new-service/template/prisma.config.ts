import { createRequire } from "node:module";
import { defineConfig } from "prisma/config";

// The schema engine comes from this workspace, so that Prisma needs no download. See tools/schema-engine.
process.env["PRISMA_SCHEMA_ENGINE_BINARY"] ??= createRequire(import.meta.url).resolve("@gatehouse/schema-engine");

export default defineConfig({
  schema: "prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env["DATABASE_URL"] ?? "" },
});

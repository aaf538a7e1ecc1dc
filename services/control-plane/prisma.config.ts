import { createRequire } from "node:module";
import { defineConfig } from "prisma/config";

// The command line looks for its engine before any command; this one needs no download.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= createRequire(import.meta.url).resolve("@gatehouse/schema-engine");

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
  datasource: { url: process.env.DATABASE_URL ?? "" },
});

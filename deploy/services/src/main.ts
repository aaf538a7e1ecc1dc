import process from "node:process";
import { ConfigError } from "@gatehouse/config";
import { StartError } from "@gatehouse/local-start";
import { PostgresError } from "@gatehouse/postgres";
import { loadConfig } from "./config.ts";
import { runServices } from "./run-services.ts";

try {
  await runServices(loadConfig(process.env), process);
} catch (err) {
  const isForPeople = err instanceof ConfigError || err instanceof StartError || err instanceof PostgresError;
  process.stderr.write(`\n${isForPeople ? err.message : String(err instanceof Error ? err.stack : err)}\n`);
  process.exit(err instanceof ConfigError ? 2 : 1);
}

import process from "node:process";
import { ConfigError } from "@gatehouse/config";
import { StartError } from "@gatehouse/local-start";
import { PostgresError } from "@gatehouse/postgres";
import { runStandalone } from "./run-standalone.ts";

try {
  await runStandalone(process);
} catch (err) {
  const isForPeople = err instanceof ConfigError || err instanceof StartError || err instanceof PostgresError;
  console.error(isForPeople ? `\n${err.message}` : err);
  process.exit(err instanceof ConfigError ? 2 : 1);
}

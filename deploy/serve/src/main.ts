import process from "node:process";
import { ConfigError } from "@gatehouse/config";
import { runServices } from "@gatehouse/service";
import { environmentOf, parseServices } from "./config.ts";
import { loadPrograms } from "./programs.ts";

try {
  const programs = await loadPrograms(parseServices(process.argv.slice(2)));
  await runServices(programs, { process, environmentOf: (name) => environmentOf(name, process.env) });
} catch (err) {
  if (!(err instanceof ConfigError)) throw err;
  process.stderr.write(`${err.message}\n`);
  process.exit(2);
}

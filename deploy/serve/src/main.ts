import process from "node:process";
import { ConfigError } from "@gatehouse/config";
import { runServices } from "@gatehouse/service";
import { environmentOf, parseServices, usage } from "./config.ts";
import { loadPrograms } from "./programs.ts";
import { refuseUnknown } from "./refuse-unknown.ts";

const args = process.argv.slice(2);

try {
  if (args[0] === "--help" || args[0] === "-h") process.stdout.write(`${usage}\n`);
  else {
    const settingsOf = (name: string) => environmentOf(name, process.env);
    const programs = await refuseUnknown(await loadPrograms(parseServices(args)), settingsOf);
    await runServices(programs, { process, environmentOf: settingsOf });
  }
} catch (err) {
  if (!(err instanceof ConfigError)) throw err;
  process.stderr.write(`${err.message}\n`);
  process.exit(2);
}

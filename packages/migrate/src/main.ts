import process from "node:process";
import { requireNode } from "@gatehouse/node-version";

requireNode(process);
const { runMigrateCommand } = await import("./migrate-command.ts");
process.exitCode = await runMigrateCommand(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
});

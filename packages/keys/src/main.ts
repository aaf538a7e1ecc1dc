import process from "node:process";
import { runKeysCommand } from "./keys-command.ts";

process.exitCode = await runKeysCommand(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  wallNow: Date.now,
});

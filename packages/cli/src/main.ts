#!/usr/bin/env node
import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { askLine } from "./ask-line.ts";
import { runCommandLine } from "./program.ts";

/** Exit code that shells use for a program ended by SIGINT. */
const interruptedCode = 130;

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stdin.isTTY ? { ask, askHidden } : {}),
});

async function ask(question: string): Promise<string> {
  return await readLine(createInterface({ input: process.stdin, output: process.stderr }), question);
}

/** Asks without echo: readline disables the terminal's echo, and its own output is discarded. */
async function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(question);
  const answer = await readLine(createInterface({ input: process.stdin, output: nowhere, terminal: true }), "");
  process.stderr.write("\n");
  return answer;
}

/** Ends the program at Ctrl-C. */
async function readLine(terminal: Interface, question: string): Promise<string> {
  terminal.once("SIGINT", () => process.exit(interruptedCode));
  try {
    return await askLine(terminal, question);
  } catch (err) {
    // An input that ends leaves the cursor behind the question.
    process.stderr.write("\n");
    throw err;
  }
}

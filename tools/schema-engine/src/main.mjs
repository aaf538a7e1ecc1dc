#!/usr/bin/env node
// Stands in for Prisma's native schema engine: the same arguments and the same lines of JSON-RPC on stdin and stdout, with the
// WebAssembly build of the engine from npm inside. The Prisma CLI starts it through PRISMA_SCHEMA_ENGINE_BINARY.
import { parseArguments } from "./arguments.mjs";
import { runCliCommand } from "./cli-command.mjs";
import { serveLines } from "./serve-lines.mjs";
import { createSession } from "./session.mjs";

const invocation = parseArguments(process.argv.slice(2));
switch (invocation.kind) {
  case "version":
    process.stdout.write("schema-engine-wasm\n");
    break;
  case "cli":
    process.exitCode = await runCliCommand(invocation);
    break;
  case "serve":
    await serveLines(createSession(invocation));
    // The engine's connection pools would keep the process alive.
    process.exit(0);
}

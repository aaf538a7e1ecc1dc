import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseFaultOptions, usage } from "./options.ts";
import { isKept } from "./proof.ts";
import { type RunListener, runFaults } from "./services.ts";
import { tableHead, toLine, toLog, toProof } from "./table.ts";

/** `pnpm faults services` injects faults into the services under load; `pnpm faults` runs the webhook ledger. */
const [topic, ...args] = process.argv.slice(2).filter((arg) => arg !== "--");
if (topic === "--help") console.log(`${usage}\n\npnpm faults [options]    faults of the webhook ledger`);
else process.exitCode = topic === "services" ? await runServices(args) : await runLedger(process.argv.slice(2));

/** @returns the exit code: 1 where a bar is missed, 2 for an invalid command line */
async function runServices(argv: readonly string[]): Promise<number> {
  try {
    const options = parseFaultOptions(argv);
    if (options.help) {
      console.log(usage);
      return 0;
    }
    let missed = 0;
    console.log(tableHead);
    const listener: RunListener = {
      onOutcome(outcome) {
        console.log(toLine(outcome));
        if (options.log !== undefined) appendFileSync(options.log, toLog(outcome));
        if (outcome.isReached === false) missed += 1;
      },
      onCold: (replicas) =>
        console.log(`With ${replicas} of each, calls were slow before any fault: the machine is busy.`),
      onRun(outcome) {
        console.log(toProof(outcome));
        if (!isKept(outcome.proof)) missed += 1;
      },
    };
    await runFaults(options, listener, endedByOperator());
    return missed === 0 ? 0 : 1;
  } catch (err) {
    console.error(err instanceof Error ? err.message : err);
    return 2;
  }
}

/** Fires at Ctrl-C or SIGTERM, so that no process of the run outlives it; a second one ends this process at once. */
function endedByOperator(): AbortSignal {
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () =>
      ended.abort(new Error(`Ended by ${signal}: the processes of the run are being stopped.`)),
    );
  return ended.signal;
}

async function runLedger(argv: readonly string[]): Promise<number> {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const script = join(root, "services", "webhook-dispatcher", "test", "ledger", "main.ts");
  const child = spawn(process.execPath, ["--conditions=@gatehouse/source", script, ...argv], { stdio: "inherit" });
  return await new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}

import type { Logger } from "@gatehouse/telemetry";

/** One Ctrl-C may arrive twice: from the terminal and passed on by a parent, such as npm. */
const repeatedSignalMs = 1_000;
/** From an exception that nothing has caught to the end, beyond the time that calls in flight have. */
export const faultEndMsMax = 20_000;
/** Further exceptions during the end are counted, not written: one that comes with each event would fill the log. */
const faultsWrittenMax = 5;

/** The orderly end of a process, and its last resort. */
export interface ProcessEnd {
  /** Takes no more calls, lets those in flight finish, and closes everything. Called once. */
  readonly end: () => Promise<void>;
  /** Log for the exception; stderr while it returns undefined. */
  readonly log?: () => Logger | undefined;
  /** Time that `end` gives calls in flight, milliseconds; absent where it waits for none. */
  readonly drainMs?: () => number;
  /** Called once, before `end`, where an exception is the reason. */
  readonly onFault?: () => void;
}

/**
 * Ends the process in order, once, then exits: with 0 on the first SIGINT or SIGTERM, and with 1 where that fails. Another signal a
 * second or more later exits at once.
 *
 * An exception or rejection that nothing has caught is written to the log, and ends the process in the same order, with 1, within
 * {@link faultEndMsMax} after the time for calls in flight: its state is no longer known, so a supervisor starts another one
 * (docs/adr/0025). Node's own way is to drop every call in flight, and to print all that hangs on the error.
 */
export function guardProcess(process: NodeJS.Process, { end, log, drainMs, onFault }: ProcessEnd): void {
  let exitCode = 0;
  let isEnding = false;
  const endOnce = () => {
    if (isEnding) return;
    isEnding = true;
    end().then(
      () => process.exit(exitCode),
      (err: unknown) => {
        process.stderr.write(`Stopping failed: ${err instanceof Error ? err.message : "unknown"}\n`);
        process.exit(1);
      },
    );
  };
  endOnSignals(process, endOnce);
  let faults = 0;
  // Rejections that nothing handles come here too.
  process.on("uncaughtException", (err: unknown) => {
    faults += 1;
    if (faults <= faultsWrittenMax) writeFault(err, process, log?.());
    if (faults > 1) return;
    exitCode = 1;
    setTimeout(() => process.exit(1), (drainMs?.() ?? 0) + faultEndMsMax);
    onFault?.();
    endOnce();
  });
}

function endOnSignals(process: NodeJS.Process, end: () => void): void {
  let firstAt: number | undefined;
  const handle = (): void => {
    if (firstAt !== undefined && performance.now() - firstAt >= repeatedSignalMs) process.exit(1);
    firstAt ??= performance.now();
    end();
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
}

const faultText = "An exception that nothing has caught: the process takes no more calls and ends.";

function writeFault(err: unknown, process: NodeJS.Process, log: Logger | undefined): void {
  if (log !== undefined) log.fatal({ err }, faultText);
  else process.stderr.write(`${faultText}\n${err instanceof Error ? (err.stack ?? err.message) : "not an error"}\n`);
}

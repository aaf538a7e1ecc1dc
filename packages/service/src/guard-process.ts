import type { Logger } from "@gatehouse/telemetry";

/** One Ctrl-C may arrive twice: from the terminal and from a parent process, such as npm. */
const repeatedSignalMs = 1_000;
/** Longest time from an uncaught exception to the exit, beyond the time for calls in flight. */
export const faultEndMsMax = 20_000;
/** Exceptions written during the end; further ones are only counted, since one per event would fill the log. */
const faultsWrittenMax = 5;

/** Actions of a process at its end, for {@link guardProcess}. */
export interface ProcessEnd {
  /** Takes no more calls, lets those in flight finish, and closes everything. Called once. */
  readonly end: () => Promise<void>;
  /** Log for the exception; stderr while it returns undefined. */
  readonly log?: () => Logger | undefined;
  /** Time of `end` for calls in flight, milliseconds; absent where it does not wait. */
  readonly drainMs?: () => number;
  /** Called once, before `end`, where an exception is the reason. */
  readonly onFault?: () => void;
}

/**
 * Shuts the process down once and exits: with 0 on the first SIGINT or SIGTERM, and with 1 where that fails. Another signal a
 * second or more later exits at once.
 *
 * An uncaught exception or rejection is logged and shuts the process down likewise, with exit code 1, within {@link
 * faultEndMsMax} plus the time for calls in flight: its state is unknown, so a supervisor starts another one (docs/adr/0025).
 * Node's default would drop all calls in flight, and print all properties of the error.
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
  // Unhandled rejections arrive here too.
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

const faultText = "Uncaught exception: the process takes no more calls and ends.";

function writeFault(err: unknown, process: NodeJS.Process, log: Logger | undefined): void {
  if (log !== undefined) log.fatal({ err }, faultText);
  else process.stderr.write(`${faultText}\n${err instanceof Error ? (err.stack ?? err.message) : "not an error"}\n`);
}

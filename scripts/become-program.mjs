// Replaces this process by another program.
import { spawn } from "node:child_process";
import { constants } from "node:os";

/** Longer than the program needs to stop, and short enough that everything has ended 10 s after the first signal. */
const STOP_TIMEOUT_MS = 9_000;
/** npm passes on a Ctrl-C that the terminal has already sent to this process; both count as one. */
const REPEAT_MS = 1_000;

/**
 * Replaces this process by `command`, so that signals and the exit code need no forwarding; needs Node 22.15, and not Windows.
 * Elsewhere the program runs as a child in a separate session and gets each signal once; this process then ends with its exit
 * code.
 * @param {string} command absolute path of a Node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function becomeProgram(command, args, env) {
  if (typeof process.execve === "function") {
    // Node's warning of an experimental function is not for users of the product.
    process.removeAllListeners("warning");
    process.execve(command, [command, ...args], env);
  }
  runAsChild(command, args, env);
}

function runAsChild(command, args, env) {
  const child = spawn(command, args, { env, stdio: "inherit", detached: process.platform !== "win32" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, createForwarder(child, signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`${command} could not be run: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function createForwarder(child, signal) {
  let lastAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - lastAt > REPEAT_MS) {
      lastAt = now;
      child.kill(signal);
      // A hang-up may ask the program to replace its workers, rather than to stop.
      if (signal !== "SIGHUP") setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS).unref();
    }
  };
}

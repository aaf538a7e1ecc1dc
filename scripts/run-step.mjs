// Runs one program with progress output: a line at the start, a spinner on a terminal, its output only on failure.
import { spawn } from "node:child_process";

const SPINNER = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];
const SPINNER_MS = 120;
const STILL_RUNNING_MS = 15_000;
const OUTPUT_SIZE_CHARS_MAX = 2_000_000;

/**
 * Runs `command` quietly. Rejects with one sentence when it fails, after printing its output.
 * @param {string} label activity, for example "Building"
 * @param {{ command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }} program
 * @returns {Promise<void>}
 */
export async function runStep(label, program) {
  const startedAt = Date.now();
  const stopSpinner = startSpinner(label);
  const { exitCode, output } = await capture(program);
  stopSpinner();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  if (exitCode === 0) {
    process.stderr.write(`${label}: done in ${seconds} s\n`);
    return;
  }
  process.stderr.write(`${label}: failed after ${seconds} s\n${output.trimEnd()}\n`);
  throw new Error(
    `${label} failed (${program.command} ${program.args[0] ?? ""} ended with ${exitCode}); its output is above.`,
  );
}

function capture({ command, args, cwd, env }) {
  return new Promise((resolve) => {
    let output = "";
    const append = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_SIZE_CHARS_MAX);
    };
    // A group of processes, since a build consists of several, and ending the first leaves the others.
    const detached = process.platform !== "win32";
    const child = spawn(command, args, { cwd, env, detached, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.setEncoding("utf8").on("data", append);
    child.stderr.setEncoding("utf8").on("data", append);
    const end = (exitCode) => {
      process.off("SIGTERM", interrupt);
      process.off("SIGINT", interrupt);
      resolve({ exitCode, output });
    };
    // On a signal, the program ends first, then this process in the same way.
    const interrupt = (signal) => {
      endGroup(child);
      process.exit(signal === "SIGINT" ? 130 : 143);
    };
    process.on("SIGTERM", interrupt);
    process.on("SIGINT", interrupt);
    child.on("error", (error) => end(error.message));
    child.on("close", (code, signal) => end(code ?? signal));
  });
}

/** By SIGTERM in any case, since a program may have started others without SIGINT. One that has ended has no group. */
function endGroup({ pid }) {
  if (pid === undefined) {
    return;
  }
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGTERM");
  } catch (error) {
    if (error.code !== "ESRCH") {
      throw error;
    }
  }
}

/** Animated on a terminal; elsewhere a line at the start, and one from time to time. */
function startSpinner(label) {
  if (!process.stderr.isTTY) {
    const startedAt = Date.now();
    const tell = () => process.stderr.write(`${label} … ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
    process.stderr.write(`${label} …\n`);
    const timer = setInterval(tell, STILL_RUNNING_MS);
    return () => clearInterval(timer);
  }
  let turn = 0;
  const draw = () => process.stderr.write(`\r${SPINNER[turn++ % SPINNER.length]} ${label} … `);
  draw();
  const timer = setInterval(draw, SPINNER_MS);
  return () => {
    clearInterval(timer);
    process.stderr.write("\r\u001b[K");
  };
}

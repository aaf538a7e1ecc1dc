// Runs one program with its output on the terminal.
import { spawn } from "node:child_process";

/**
 * Resolves with the exit code (1 when the program could not run or was ended by a signal). A signal to this process is passed to
 * the program, and ends this process after the program.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<number>}
 */
export function streamStep(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "inherit", "inherit"] });
    let interruptedBy;
    const interrupt = (signal) => {
      interruptedBy = signal;
      // A Ctrl-C reaches the program by itself, since it is in the terminal's process group.
      if (signal === "SIGTERM") {
        child.kill(signal);
      }
    };
    const end = (exitCode) => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
      if (interruptedBy !== undefined) {
        process.exit(interruptedBy === "SIGINT" ? 130 : 143);
      }
      resolve(exitCode);
    };
    process.on("SIGINT", interrupt);
    process.on("SIGTERM", interrupt);
    child.on("error", (error) => {
      process.stdout.write(`${command} could not be run: ${error.message}\n`);
      end(1);
    });
    child.on("close", (code) => end(code ?? 1));
  });
}

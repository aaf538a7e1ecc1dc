import process from "node:process";

/** Tells the person at the terminal what takes time. */
export function progress(message: string): void {
  process.stdout.write(`· ${message}\n`);
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestTrust } from "@gatehouse/trust/testing";
import { expect } from "vitest";

export const trust = createTestTrust();

const children: ChildProcess[] = [];
const folders: string[] = [];

/** Ends all running programs, and removes their output. */
export function killPrograms(): void {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** Output files of a program. Unlike a pipe, they are complete when the program has ended. */
function openOutput() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-program-"));
  folders.push(folder);
  const paths = { stdout: join(folder, "stdout"), stderr: join(folder, "stderr") };
  const output = {
    get stdout() {
      return readFileSync(paths.stdout, "utf8");
    },
    get stderr() {
      return readFileSync(paths.stderr, "utf8");
    },
  };
  return { output, files: [openSync(paths.stdout, "a"), openSync(paths.stderr, "a")] as const };
}

/** Runs a program of this folder as a separate process. */
export function runProgram(file: string, env: Readonly<Record<string, string>> = {}) {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const { output, files } = openOutput();
  const child = spawn(process.execPath, ["--conditions=@gatehouse/source", program], {
    env: { HOST: "127.0.0.1", PORT: "0", RPC_PORT: "0", ...trust.env("chat"), ...env },
    stdio: ["ignore", ...files],
  });
  for (const file of files) closeSync(file);
  children.push(child);
  const closed = once(child, "close");
  const lines = () =>
    output.stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
  return {
    child,
    output,
    lines,
    async exit(): Promise<unknown> {
      const [code] = (await closed) as unknown[];
      return code;
    },
    /** The URL of its HTTP server, logged beside the given text. */
    async url(text: string): Promise<string> {
      await expect.poll(() => output.stdout, { timeout: 25_000 }).toContain(text);
      const port = lines().find(({ http_port: opened }) => opened !== undefined)?.["http_port"];
      return `http://127.0.0.1:${String(port)}`;
    },
  };
}

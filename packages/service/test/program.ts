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

/** Ends every program that is still running, and removes their output. */
export function killPrograms(): void {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** Files for the output of a program: what it wrote before it ended is in them, while of a pipe the end may come before the rest. */
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

/** A process of a service, from a file of this folder. */
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
    /** The address of its HTTP server, when its log names it beside the given text. */
    async url(text: string): Promise<string> {
      await expect.poll(() => output.stdout, { timeout: 25_000 }).toContain(text);
      const port = lines().find(({ http_port: opened }) => opened !== undefined)?.["http_port"];
      return `http://127.0.0.1:${String(port)}`;
    },
  };
}

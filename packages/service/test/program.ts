import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createTestTrust } from "@gatehouse/trust/testing";
import { expect } from "vitest";

export const trust = createTestTrust();

const children: ChildProcess[] = [];

/** Ends every program that is still running. */
export function killPrograms(): void {
  for (const child of children.splice(0)) child.kill("SIGKILL");
}

/** A process of a service, from a file of this folder. */
export function runProgram(file: string, env: Readonly<Record<string, string>> = {}) {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@gatehouse/source", program], {
    env: { HOST: "127.0.0.1", PORT: "0", RPC_PORT: "0", ...trust.env("chat"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
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
      const port = lines().find(({ httpPort }) => httpPort !== undefined)?.["httpPort"];
      return `http://127.0.0.1:${String(port)}`;
    },
  };
}

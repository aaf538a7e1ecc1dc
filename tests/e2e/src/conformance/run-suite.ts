import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const timeoutMs = 80_000;

/** The published suite, and the one in development, which has the frozen requirement sets of each revision. */
const suites = {
  published: require.resolve("@modelcontextprotocol/conformance/dist/index.js"),
  next: require.resolve("mcp-conformance-next/dist/index.js"),
} as const;
export type SuiteVersion = keyof typeof suites;

/** A file in `tests/e2e/conformance` with the known failures. */
export type Baseline = "mcp-gateway.yml" | "own-tools.yml";

export interface SuiteRun {
  /** 0 where exactly the baseline's scenarios have failed. */
  readonly exitCode: number;
  readonly output: string;
}

export interface SuiteOptions {
  readonly version: SuiteVersion;
  readonly baseline: Baseline;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the conformance suite's own command. */
export async function runSuite({ version, baseline, args, env = {} }: SuiteOptions): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-conformance-"));
  const command = [suites[version], ...args, "--expected-failures", pathOf(baseline), "-o", folder];
  const options = { cwd: folder, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, ...env } };
  try {
    return await new Promise<SuiteRun>((resolve) => {
      execFile(process.execPath, command, options, (err, stdout, stderr) => {
        const exitCode = err === null ? 0 : typeof err.code === "number" ? err.code : 1;
        resolve({ exitCode, output: `${stdout}${stderr}` });
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The scenarios that a baseline names, of both legs. */
export async function readBaseline(baseline: Baseline): Promise<readonly string[]> {
  const file = await readFile(pathOf(baseline), "utf8");
  return file.split("\n").flatMap((line) => /^ {2}- (\S+)/.exec(line)?.[1] ?? []);
}

function pathOf(baseline: Baseline): string {
  return fileURLToPath(new URL(`../../conformance/${baseline}`, import.meta.url));
}

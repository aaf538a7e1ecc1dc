import { ConfigError } from "@gatehouse/config";
import { PostgresError } from "@gatehouse/postgres";
import { expect, test } from "vitest";
import { runMain, StartError, toStartError } from "./start-error.ts";

const program = ["node", "main.js"];
const start = { port: 80, command: "npm run start:services" };

/** Runs a failing `main`; returns its output and exit code. */
async function runFailing(
  failure: unknown,
): Promise<{ readonly printed: string; readonly exitCode: number | undefined }> {
  let printed = "";
  let exitCode: number | undefined;
  const stderr = { write: (text: string) => (printed += text) };
  const process = { argv: program, stderr, exit: (code: number) => (exitCode = code) } as unknown as NodeJS.Process;
  const run = async (): Promise<never> => await Promise.reject(failure);
  await runMain(process, "Gatehouse", run);
  return { printed, exitCode };
}

test.each([
  ["EADDRINUSE", "PORT=81 npm run start:services"],
  ["EACCES", "PORT=8080 npm run start:services"],
  ["ECONNREFUSED", "fix DATABASE_URL"],
  ["ENOTFOUND", "fix DATABASE_URL"],
])("a start that fails with %s gets advice", (code, advice) => {
  const failure = Object.assign(new Error(code), { code });
  const explained = toStartError(failure, start);
  expect(explained).toBeInstanceOf(StartError);
  expect(explained).toMatchObject({ message: expect.stringContaining(advice), cause: failure });
});

test("a failure without advice is unchanged", () => {
  const failure = new TypeError("undefined is not a function");
  expect(toStartError(failure, start)).toBe(failure);
});

test.each([
  [new ConfigError(["PORT: not a number"]), 2],
  [new StartError("The port is taken."), 1],
  [new PostgresError("in-use", "Another process runs on it."), 1],
])("a failure with advice is printed without its stack: %s", async (err, exitCode) => {
  expect(await runFailing(err)).toEqual({ printed: `\n${err.message}\n`, exitCode });
});

test("any other failure is printed with its stack and its cause, and exits with 1", async () => {
  const { printed, exitCode } = await runFailing(new Error("Unforeseen.", { cause: new Error("Deeper.") }));
  expect(printed).toMatch(/Unforeseen\.\n {4}at [^]*Deeper\./);
  expect(exitCode).toBe(1);
});

test("a run that ends by itself ends nothing", async () => {
  const process = { argv: program, exit: () => expect.unreachable() } as unknown as NodeJS.Process;
  await runMain(process, "Gatehouse", async () => await Promise.resolve());
});

test.each([
  ["--help", { stdout: expect.stringContaining("takes no arguments") as string, stderr: "" }],
  ["-h", { stdout: expect.stringContaining("environment") as string, stderr: "" }],
  ["--port=1", { stdout: "", stderr: expect.stringMatching(/^Unknown argument: --port=1\n/) as string, exitCode: 2 }],
])("%s runs nothing and prints the usage", async (argument, expected) => {
  const printed: { stdout: string; stderr: string; exitCode?: number } = { stdout: "", stderr: "" };
  const process = {
    argv: [...program, argument],
    stdout: { write: (text: string) => (printed.stdout += text) },
    stderr: { write: (text: string) => (printed.stderr += text) },
    exit: (code: number) => (printed.exitCode = code),
  } as unknown as NodeJS.Process;
  await runMain(process, "Gatehouse", async () => await Promise.resolve(expect.unreachable()));
  expect(printed).toEqual(expected);
});

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommandLine } from "../src/program.ts";

interface Run {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly ask?: (question: string) => Promise<string>;
}

async function run({ args, env, ask }: Run) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const stdin = (async function* () {})();
  const code = await runCommandLine(args, {
    env,
    stdin,
    out: write,
    err: write,
    ...(ask === undefined ? {} : { ask }),
  });
  return { code, lines };
}

/** No gateway answers here, so a command that gets as far as this has its key, and its confirmation. */
const nowhere = { GATEHOUSE_URL: "http://127.0.0.1:1", GATEHOUSE_ADMIN_KEY: "svc_admin_0" };
const unreachable = expect.stringContaining("http://127.0.0.1:1/control/mcp cannot be reached") as string;

test("a key with characters that cannot be sent is refused with its place, and without the key", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-cli-"));
  const file = join(folder, "key");
  writeFileSync(file, "svc_admin_one\nsvc_admin_two\n");
  const fromFile = await run({ args: ["--admin-key-file", file, "project", "list"], env: nowhere });
  const fromEnvironment = await run({
    args: ["project", "list"],
    env: { ...nowhere, GATEHOUSE_ADMIN_KEY: "svc_admin_…" },
  });
  rmSync(folder, { recursive: true });
  expect([fromFile.code, fromEnvironment.code]).toEqual([2, 2]);
  expect(fromFile.lines.join()).toContain(`The admin key in ${file} has characters that cannot be sent`);
  expect(fromFile.lines.join()).not.toContain("svc_admin_one");
  expect(fromEnvironment.lines.join()).toContain(
    "The admin key in GATEHOUSE_ADMIN_KEY has characters that cannot be sent",
  );
});

const final = [
  ["token", "delete", "1"],
  ["token", "revoke", "1"],
  ["token", "rotate", "1"],
  ["endpoint", "delete", "Shop/ask"],
  ["provider", "delete", "openai"],
  ["credential", "delete", "1"],
  ["webhook", "delete", "1"],
  ["webhook", "rotate-secret", "1"],
  ["admin-key", "revoke", "1"],
  ["admin-key", "rotate", "1"],
  ["session", "delete", "1"],
  ["guardrails", "set", "Shop", "--clear"],
] satisfies readonly (readonly string[])[];

test.each(final.map((args) => [args.join(" "), args] as const))(
  "%s asks at a terminal, and runs with --yes or without one",
  async (_name, args) => {
    const asked: string[] = [];
    const answering = (answer: string) => async (question: string) => {
      asked.push(question);
      return await Promise.resolve(answer);
    };
    expect(await run({ args, env: nowhere, ask: answering("no") })).toEqual({
      code: 1,
      lines: ["Error: Nothing was changed."],
    });
    expect(asked[0]).toMatch(/This cannot be undone\. Type yes to go on: $/);
    expect((await run({ args, env: nowhere, ask: answering("yes") })).lines).toEqual([unreachable]);
    expect((await run({ args: [...args, "--yes"], env: nowhere, ask: answering("no") })).lines).toEqual([unreachable]);
    expect((await run({ args, env: nowhere })).lines).toEqual([unreachable]);
    expect(asked).toHaveLength(2);
  },
);

test("a project is not deleted without a terminal and --yes, and a policy is set without a question", async () => {
  const { code, lines } = await run({ args: ["project", "delete", "Shop"], env: nowhere });
  expect([code, ...lines]).toEqual([2, "Error: Confirmation is missing: repeat the command with --yes."]);
  const ask = async () => await Promise.reject(new Error("asked"));
  expect((await run({ args: ["guardrails", "set", "Shop"], env: nowhere, ask })).lines).toEqual([unreachable]);
});

test("the error for a refused admin key names the key and where it can come from", async () => {
  const gateway = createServer((req, res) => {
    const error = req.headers.authorization === undefined ? "Missing Bearer token." : "Invalid or revoked token.";
    res.writeHead(401, { "content-type": "application/json", "x-request-id": "r" });
    req.resume().once("end", () => res.end(JSON.stringify({ ok: false, error })));
  }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const env = { GATEHOUSE_URL: url, GATEHOUSE_ADMIN_KEY: "svc_admin_wrong" };
  const { code, lines } = await run({ args: ["project", "list"], env });
  gateway.close();
  gateway.closeAllConnections();
  expect(code).toBe(1);
  expect(lines).toEqual([
    "Error: The gateway refuses the admin key. Invalid or revoked token. An admin key begins with svc_admin_: check GATEHOUSE_ADMIN_KEY or the file of --admin-key-file.",
  ]);
});

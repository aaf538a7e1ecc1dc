import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
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

test.each([
  ["project", "update", "Shop", "--rate-limit-per-minute", "5", "--rate-limit-per-minute", "unlimited"],
  ["endpoint", "update", "Shop/ask", "--streaming", "--no-streaming"],
  ["apply", "-f", "one.yaml", "--file", "two.yaml"],
  ["export", "-o", "one.yaml", "-o", "two.yaml"],
  ["--gateway", "http://127.0.0.1:2", "--gateway", "http://127.0.0.1:3", "project", "list"],
])("an option that is given again with another value is refused: %s %s %s", async (...args) => {
  const { code, lines } = await run({ args, env: nowhere });
  expect([code, ...lines]).toEqual([2, expect.stringContaining("contradicts an earlier option")]);
});

test("an option may be given again with the same value", async () => {
  const args = ["project", "update", "Shop", "--name", "a", "--name", "a"];
  expect((await run({ args, env: nowhere })).lines).toEqual([unreachable]);
});

const secret = "sk-live-0123456789";
const create = ["credential", "create", "mock", "c1"];

test.each([
  ["a secret in place of its source", [...create, "--api-key-from", secret]],
  ["a secret in place of a variable's name", [...create, "--api-key-from", `env:${secret}`]],
  ["a secret in place of a path", [...create, "--api-key-from", `file:${secret}`]],
  ["a passphrase in place of its source", ["export", "--with-secrets", "--passphrase-from", secret]],
  ["a keyring in place of its source", ["keyring", "rotate", "-o", "new", "--from", secret]],
  ["an admin key in place of its file", ["--admin-key-file", secret, "project", "list"]],
  ["a secret as the value of an unknown option", [...create, "--api-key-from", "env:KEY", `--api-key=${secret}`]],
  ["a secret as a further word", [...create, secret, "--api-key-from", "env:KEY"]],
])("%s is refused without showing it", async (_what, args) => {
  const { code, lines } = await run({ args, env: nowhere });
  expect(code).toBe(2);
  expect(lines.join("\n")).toMatch(/^error: /i);
  expect(lines.join("\n")).not.toContain(secret);
});

test.each(["http://user:pw@127.0.0.1:1", "user:pw@127.0.0.1:1", "http://user:p@w@127.0.0.1:1", "http://:pw@h"])(
  "a gateway's address with a user or a password is refused, without showing them: %s",
  async (url) => {
    const given = [
      await run({ args: ["project", "list"], env: { ...nowhere, GATEHOUSE_URL: url } }),
      await run({ args: ["--gateway", url, "project", "list"], env: nowhere }),
    ];
    for (const [index, { code, lines }] of given.entries()) {
      expect(code).toBe(2);
      expect(lines.join()).toMatch(index === 0 ? /^Error: GATEHOUSE_URL (?:has|is)/ : /^Error: --gateway (?:has|is)/);
      expect(lines.join()).not.toMatch(/user:|pw|p@w/);
    }
  },
);

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

/** Gateway that shows its routes to everyone, and answers calls of the Control Plane as the test says. */
async function startGateway(answer: (res: ServerResponse) => void) {
  const requests: string[] = [];
  const gateway = createServer((req, res) => {
    const credential = req.headers.authorization === undefined ? "without a key" : "with a key";
    requests.push(`${req.method} ${req.url} ${credential}`);
    req.resume().once("end", () => {
      if (req.url !== "/") return answer(res);
      res.writeHead(200, { "content-type": "application/json", "x-request-id": "r" });
      return res.end(JSON.stringify({ ok: true, routes: [{ id: "control_mcp", path: "/control/mcp" }] }));
    });
  }).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  const stop = () => {
    gateway.close();
    gateway.closeAllConnections();
  };
  return { requests, stop, url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` };
}

test("a gateway is recognised without a request that it would count as a failed sign-in", async () => {
  const { requests, stop, url } = await startGateway((res) => {
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { structuredContent: { projects: [] } } }));
  });
  const { code } = await run({ args: ["project", "list"], env: { ...nowhere, GATEHOUSE_URL: url } });
  stop();
  expect(code).toBe(0);
  expect(requests).toEqual(["GET / without a key", "POST /control/mcp with a key"]);
});

test.each<[string, (res: ServerResponse) => void]>([
  ["before its answer", (res) => res.destroy()],
  ["in its answer", (res) => res.writeHead(200, { "content-length": "100" }).write("{", () => res.destroy())],
])("a connection that ends %s is not called a gateway out of reach: the change may have been made", async (_, lose) => {
  const { stop, url } = await startGateway(lose);
  const { code, lines } = await run({
    args: ["token", "rotate", "1", "--yes"],
    env: { ...nowhere, GATEHOUSE_URL: url },
  });
  stop();
  expect(code).toBe(1);
  expect(lines.join()).toMatch(/ended before its answer\. A change may have been made/);
});

const project = "7b1f0e9c-0d3a-4a52-9f05-6f7a4e9d8c11";

test.each([
  ["targets", ["endpoint", "create", project, "e1"], 2, "Missing option: --target."],
  [
    "finding_id or text",
    ["guardrails", "add-feedback", project, "missed"],
    2,
    "Missing option: --finding-id or --text.",
  ],
  ["targets[0].model", ["endpoint", "create", project, "e1"], 1, "Missing required argument: targets[0].model"],
])("the missing argument %s is named as the option of %j", async (argument, args, expected, message) => {
  const { stop, url } = await startGateway((res) => {
    const error = { code: -32602, message: `Missing required argument: ${argument}` };
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
  });
  const { code, lines } = await run({ args, env: { ...nowhere, GATEHOUSE_URL: url } });
  stop();
  expect([code, ...lines]).toEqual([expected, `Error: ${message}`]);
});

test("the error for a refused admin key names the key and where it can come from", async () => {
  const { stop, url } = await startGateway((res) => {
    res.writeHead(401, { "content-type": "application/json", "x-request-id": "r" });
    res.end(JSON.stringify({ ok: false, error: "Invalid or revoked token." }));
  });
  const env = { GATEHOUSE_URL: url, GATEHOUSE_ADMIN_KEY: "svc_admin_wrong" };
  const { code, lines } = await run({ args: ["project", "list"], env });
  stop();
  expect(code).toBe(1);
  expect(lines).toEqual([
    "Error: The gateway refuses the admin key. Invalid or revoked token. An admin key begins with svc_admin_: check GATEHOUSE_ADMIN_KEY or the file of --admin-key-file.",
  ]);
});

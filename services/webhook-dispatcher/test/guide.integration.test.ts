import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { catalogue } from "@gatehouse/audit";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keysForEveryProject } from "../src/domain/matching.ts";
import { signedHeaders } from "../src/domain/signature.ts";

const run = promisify(execFile);

let guide: string;
let folder: string;
let vectors: Readonly<Record<string, string>>;

beforeAll(async () => {
  const workspaceRoot = dirname(dirname(dirname(import.meta.dirname)));
  guide = await readFile(join(workspaceRoot, "docs", "webhooks.md"), "utf8");
  folder = await mkdtemp(join(tmpdir(), "gatehouse-guide-"));
  const rows = guide.slice(guide.indexOf("### Test vectors")).matchAll(/^\| ([\w-]+) \| `(.+)` \|$/gm);
  vectors = Object.fromEntries([...rows].map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
  await writeFile(join(folder, "body.json"), vectors["body"] ?? "");
});

afterAll(async () => await rm(folder, { recursive: true }));

/** The code after a marker in the guide. */
function codeOf(language: string): string {
  const [, code] = new RegExp(`<!-- vectors: ${language} -->\n\`\`\`\\w+\n([^]+?)\n\`\`\``).exec(guide) ?? [];
  if (code === undefined) throw new Error(`The guide has no code for ${language}.`);
  return code;
}

test("the guide names the events of the whole gateway, as they are sent", () => {
  const [, listed = ""] = /\*\*Events of the whole gateway\*\* \(([^)]+)\)/.exec(guide) ?? [];
  const groups = listed.split(", ").map((pattern) => pattern.replace(/^`(\w+\.)\*`$/, "$1"));
  const keys = Object.keys(catalogue);
  const named = keys.filter((key) => groups.some((group) => key.startsWith(group)));
  expect([...named, "project.created"].toSorted()).toEqual(keysForEveryProject(keys).toSorted());
});

test("the vectors are what the gateway sends", () => {
  const secret = vectors["secret"] ?? "";
  const message = {
    messageUuid: vectors["webhook-id"] ?? "",
    deliveryUuid: "",
    event: "token.revoked",
    body: vectors["body"] ?? "",
    timestampSeconds: Number(vectors["webhook-timestamp"]),
  };
  expect(signedHeaders(message, { first: secret, second: undefined, isStaged: false }, "X-Service")).toMatchObject({
    "X-Service-Signature": vectors["x-service-signature"],
    "webhook-signature": vectors["webhook-signature"],
  });
});

test("the package standardwebhooks makes the same signature from the secret as it is shown", () => {
  const at = new Date(Number(vectors["webhook-timestamp"]) * 1_000);
  const made = new Webhook(vectors["secret"] ?? "").sign(vectors["webhook-id"] ?? "", at, vectors["body"] ?? "");
  expect(made).toBe(vectors["webhook-signature"]);
});

test("the guide's code for Node verifies them, and nothing else", async () => {
  const program = `${codeOf("node")}
const [body, signature, secret] = process.argv.slice(2);
const headers = { "x-service-signature": signature };
process.stdout.write([body, body + " "].map((text) => isFromGatehouse(Buffer.from(text), headers, secret)).join());`;
  await writeFile(join(folder, "verify.mjs"), program);
  const given = [vectors["body"] ?? "", vectors["x-service-signature"] ?? "", vectors["secret"] ?? ""];
  const { stdout } = await run(process.execPath, [join(folder, "verify.mjs"), ...given]);
  expect(stdout).toBe("true,false");
});

test("the guide's code for Python verifies them, and nothing else", async ({ skip }) => {
  if (!(await exists("python3"))) skip("there is no python3");
  const program = `${codeOf("python")}

import json, sys
given = json.loads(sys.argv[1])
body, now = given["body"].encode(), int(given["webhook-timestamp"]) + 1
cases = [(body, now), (body + b" ", now), (body, now + 600)]
print([is_from_gatehouse(raw, given, given["secret"], at) for raw, at in cases])
`;
  await writeFile(join(folder, "verify.py"), program);
  const { stdout } = await run("python3", [join(folder, "verify.py"), JSON.stringify(vectors)]);
  expect(stdout.trim()).toBe("[True, False, False]");
});

test("the guide's line for the shell prints the signature", async ({ skip }) => {
  if (!(await exists("openssl"))) skip("there is no openssl");
  const env = { ...process.env, SECRET: vectors["secret"] ?? "" };
  const { stdout } = await run("sh", ["-c", codeOf("shell")], { cwd: folder, env });
  expect(stdout.trim()).toBe(vectors["x-service-signature"]);
});

async function exists(program: string): Promise<boolean> {
  return await run("sh", ["-c", `command -v ${program}`]).then(
    () => true,
    () => false,
  );
}

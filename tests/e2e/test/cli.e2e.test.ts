import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChild } from "../src/child.ts";
import { type Product, startStandalone } from "../src/product.ts";

let product: Product;
let folder: string;
beforeAll(async () => {
  product = await startStandalone({ env: { EGRESS_ALLOW: "127.0.0.0/8" } });
  folder = await mkdtemp(join(tmpdir(), "gatehouse-cli-"));
});
afterAll(async () => {
  await product.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  readonly code: number | null;
  readonly output: string;
}

async function gatehouse(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const settings = { GATEHOUSE_URL: product.url, GATEHOUSE_ADMIN_KEY: product.adminKey, FORCE_COLOR: "0", ...env };
  const child = startChild("packages/cli/dist/main.js", settings, { args });
  await new Promise((resolve) => child.process.once("close", resolve));
  return { code: child.process.exitCode, output: child.output() };
}

async function answer<T>(args: readonly string[]): Promise<T> {
  const { code, output } = await gatehouse(["--json", ...args]);
  expect(code, output).toBe(0);
  return JSON.parse(output) as T;
}

test("a project, provider, endpoint and token created by name work", async () => {
  await answer(["provider", "create", "cli-mock", "--kind", "mock"]);
  const project = await answer<{ uuid: string }>(["project", "create", "Hand made", "--type", "ai_gateway"]);
  await answer(["endpoint", "create", "Hand made", "echo", "--target", "cli-mock/mock-1", "--streaming"]);
  const { token } = await answer<{ token: string }>(["token", "create", "Hand made", "app", "--scope", "chat"]);
  const reply = await fetch(`${product.url}/api/${project.uuid}/echo`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "Hello!" }),
  });
  expect(await reply.json()).toMatchObject({ ok: true, content: "Echo: Hello!" });
  await answer(["endpoint", "deactivate", "Hand made/echo"]);
  const { output } = await gatehouse(["endpoint", "list", "Hand made"]);
  expect(output).toMatch(/UUID +SLUG +IS ACTIVE[\s\S]+echo +false/);
});

test.each([
  [
    "the gateway's own refusal",
    ["project", "update", "Hand made", "--rate-limit-per-minute", "0"],
    {},
    1,
    "rate_limit_per_minute",
  ],
  [
    "a value that is not among an option's",
    ["token", "create", "Hand made", "x", "--scope", "fly"],
    {},
    2,
    "scope must be one of chat, mcp, models, proxy; not fly.",
  ],
  ["an unknown name", ["project", "get", "Nobody"], {}, 1, "no project named Nobody"],
  [
    "the reason of a refusal",
    ["webhook", "create", "Hand made", "x", "http://169.254.169.254/", "--event", "token.created"],
    {},
    1,
    "Upstream URL blocked by SSRF guard. The address is never allowed (cloud metadata).",
  ],
  ["a missing option", ["project", "create", "x"], {}, 2, "--type"],
  ["no admin key", ["project", "list"], { GATEHOUSE_ADMIN_KEY: "" }, 2, "GATEHOUSE_ADMIN_KEY"],
  [
    "a wrong admin key",
    ["project", "list"],
    { GATEHOUSE_ADMIN_KEY: "svc_admin_wrong" },
    1,
    "Invalid or revoked token.",
  ],
  ["an unreachable gateway", ["project", "list"], { GATEHOUSE_URL: "http://127.0.0.1:1" }, 1, "cannot be reached"],
])("the terminal shows %s", async (...[, args, env, code, message]) => {
  const run = await gatehouse(args, env);
  expect(run.output).toContain(message);
  expect(run.code).toBe(code);
});

test("admin keys are made for projects by name, listed, rotated and revoked", async () => {
  const create = ["admin-key", "create", "cli-viewer", "--role", "viewer", "--project", "Hand made"];
  const created = await answer<{ id: number; key: string }>(create);
  const asViewer = async (...args: readonly string[]) => await gatehouse(args, { GATEHOUSE_ADMIN_KEY: created.key });
  expect((await asViewer("project", "list")).output).toContain("Hand made");
  const refused = await asViewer("project", "update", "Hand made", "--name", "x");
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("Not allowed: svc_update_project needs")]);
  expect((await gatehouse(["admin-key", "list"])).output).toMatch(/cli-viewer +viewer/);
  const rotated = await answer<{ key: string }>(["admin-key", "rotate", String(created.id)]);
  expect(rotated.key).not.toBe(created.key);
  expect(await answer(["admin-key", "revoke", String(created.id)])).toMatchObject({ is_active: false });
  expect((await asViewer("project", "list")).output).toContain("Invalid or revoked token.");
});

test("issuers are trusted, changed and ended, and their subjects revoked", async () => {
  const url = "https://id.example.invalid/realms/main";
  const made = await gatehouse(["issuer", "create", "Hand made", url, "gatehouse", "--scope", "chat"]);
  expect([made.code, made.output]).toEqual([0, expect.stringContaining("Its keys cannot be fetched now")]);
  const { issuers } = await answer<{ issuers: { id: number }[] }>(["issuer", "list", "Hand made"]);
  const id = String(issuers[0]?.id);
  expect(await answer(["issuer", "update", id, "--audience", "other"])).toMatchObject({ audience: "other" });
  await answer(["issuer", "revoke-subject", id, "ann@example.com"]);
  expect((await gatehouse(["issuer", "subjects", id, "--revoked"])).output).toMatch(/ann@example\.com +false/);
  const twice = await gatehouse(["issuer", "create", "Hand made", url, "gatehouse", "--scope", "chat"]);
  expect([twice.code, twice.output]).toEqual([1, expect.stringContaining("trusts this issuer already")]);
  expect(await answer(["issuer", "delete", id])).toMatchObject({ deleted: true });
  const gone = await gatehouse(["issuer", "subjects", id]);
  expect([gone.code, gone.output]).toEqual([1, `Error: Issuer not found: ${id}\n`]);
});

test("metrics of calls are printed, and an incomplete query names the missing option", async () => {
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const range = ["--since", since, "--until", until];
  const query = ["metrics", "query", "--project", "Hand made", ...range, "--group-by", "model"];
  // Counts arrive with the gateway log, shortly after the reply.
  await expect
    .poll(async () => (await gatehouse([...query, "--bucket", "1d"])).output, { timeout: 15_000, interval: 500 })
    .toContain("mock-1");
  const wrong = await gatehouse([...query, "--bucket", "1w"]);
  expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining("bucket must be one of 1m, ")]);
  const lacking = await gatehouse(["metrics", "query", ...range]);
  expect([lacking.code, lacking.output]).toEqual([2, expect.stringContaining("--bucket")]);
  const misspelt = await gatehouse([...query, "--bucket", "1h", "--filters", '{"modl":"x"}']);
  expect(misspelt.output).toContain("Did you mean 'model'?");
});

test("an address that is not a gateway's never receives the admin key", async () => {
  const seen: (string | undefined)[] = [];
  const stranger = createServer((req, res) => {
    seen.push(req.headers.authorization);
    res.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  stranger.listen(0, "127.0.0.1");
  await once(stranger, "listening");
  const address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  for (const args of [
    ["--gateway", address, "project", "list"],
    ["webhook", "update", "1", "--gateway", address],
  ]) {
    const { code, output } = await gatehouse(args);
    expect(output).toContain("the admin key was not sent");
    expect(code).toBeGreaterThan(0);
  }
  expect(seen).toEqual([undefined, undefined]);
  stranger.close();
});

test("--url is the address of the resource, and never of the gateway", async () => {
  const project = await answer<{ uuid: string }>(["project", "create", "Addresses", "--type", "ai_gateway"]);
  const made = ["webhook", "create", project.uuid, "ops", "http://127.0.0.1:9/a", "--event", "token.created"];
  const { id } = await answer<{ id: number }>(made);
  const changed = await answer<{ url: string }>(["webhook", "update", String(id), "--url", "http://127.0.0.1:9/b"]);
  expect(changed.url).toBe("http://127.0.0.1:9/b");
  expect(await gatehouse(["--url", "http://127.0.0.1:9", "project", "list"])).toMatchObject({ code: 2 });
});

test("a project is deleted only with --yes", async () => {
  const { uuid } = await answer<{ uuid: string }>(["project", "create", "Short-lived", "--type", "ai_gateway"]);
  const refused = await gatehouse(["project", "delete", "Short-lived"]);
  expect(refused).toMatchObject({ code: 2, output: expect.stringContaining("--yes") });
  expect(await answer(["project", "delete", "Short-lived", "--yes"])).toMatchObject({ uuid, deleted: true });
});

test("--version prints the version of the workspace", async () => {
  const manifest = JSON.parse(await readFile("package.json", "utf8")) as { readonly version: string };
  expect(await gatehouse(["--version"])).toMatchObject({ code: 0, output: `${manifest.version}\n` });
});

const document = `
version: 1
providers:
  - { name: doc-mock, kind: mock, enabled: true }
projects:
  - name: From a document
    project_type: ai_gateway
    rate_limit_per_minute: null
    guardrails: { pii: { mode: block } }
    endpoints:
      - slug: assistant
        targets: [{ provider: doc-mock, model: mock-1 }]
        guardrails: { keywords: [falcon] }
    tokens: [{ name: app, scopes: [chat] }]
    webhooks: [{ name: audit, url: "http://127.0.0.1:9/hook", events: [token.created] }]
  - name: Tools from a document
    project_type: mcp_gateway
    upstreams: [{ prefix: files, url: "http://127.0.0.1:9/mcp", bearer_token: "\${FILES_TOKEN}" }]
  - name: Proxy from a document
    project_type: api_gateway
    endpoints: [{ slug: api, upstream_url: "http://127.0.0.1:9/base", allowed_methods: [GET] }]
`;

test("a document is planned, applied once, and changes nothing the second time", async () => {
  const file = join(folder, "gatehouse.yaml");
  await writeFile(file, document);
  const env = { FILES_TOKEN: "secret-of-the-files" };

  const missing = await gatehouse(["apply", "-f", file]);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.output).toContain("${FILES_TOKEN} (upstream Tools from a document/files: bearer_token)");
  expect((await gatehouse(["project", "get", "From a document"])).output).toContain("no project named");

  const plan = await gatehouse(["apply", "-f", file, "--dry-run"], env);
  expect(plan.output).toContain("+ endpoint From a document/assistant");
  expect(plan.output).toMatch(/Plan: 11 to create, 0 to change\./);
  expect(plan.output).not.toContain(env.FILES_TOKEN);

  const applied = await gatehouse(["apply", "-f", file], env);
  expect(applied.output).toMatch(/Done: 11 created, 0 changed\./);
  expect(applied.output).toMatch(/From a document\/app \(token\) {2}svc_live_\w+/);
  expect(applied.output).toMatch(/From a document\/audit \(webhook\) {2}whsec_\w+/);

  const again = await gatehouse(["apply", "-f", file], env);
  expect(again.output).toContain("Nothing to change.");
});

test("a change of the document is the only change that is made", async () => {
  const file = join(folder, "changed.yaml");
  await writeFile(
    file,
    document.replace("keywords: [falcon]", "keywords: [falcon, eagle]").replace("[GET]", "[GET, POST]"),
  );
  const { output } = await gatehouse(["apply", "-f", file], { FILES_TOKEN: "another" });
  expect(output.split("\n").slice(0, 4)).toEqual([
    "~ guardrails From a document/assistant",
    "~ endpoint Proxy from a document/api: allowed_methods",
    "",
    "Done: 0 created, 2 changed.",
  ]);
});

test("an unknown setting is refused before anything is created", async () => {
  const file = join(folder, "misspelt.yaml");
  await writeFile(file, "version: 1\nprojects: [{ name: Never, project_type: ai_gateway, rate_limit_per_minut: 5 }]\n");
  const { code, output } = await gatehouse(["apply", "-f", file]);
  expect(code).toBe(1);
  expect(output).toContain("rate_limit_per_minut is not a setting");
  expect((await gatehouse(["project", "get", "Never"])).output).toContain("no project named Never");
});

test("invalid settings are all reported, in the plan too, before anything is created", async () => {
  const file = join(folder, "refused.yaml");
  await writeFile(
    file,
    `version: 1
projects:
  - name: Not yet
    project_type: ai_gateway
    rate_limit_per_minute: -1
    endpoints:
      - { slug: fine, targets: [{ provider: doc-mock, model: mock-1 }] }
      - { slug: "not a slug", targets: [{ provider: doc-mock, model: mock-1 }] }
      - { slug: untargeted, targets: [] }
    tokens: [{ name: app, scopes: [everything] }]
  - { name: Nor this, project_type: spaceship }
`,
  );
  for (const dryRun of [["--dry-run"], []]) {
    const { code, output } = await gatehouse(["apply", "-f", file, ...dryRun]);
    expect(code).toBe(1);
    expect(output).toMatch(/project Not yet: rate_limit_per_minute .*; endpoint Not yet\/not a slug: /);
    expect(output).toMatch(/endpoint Not yet\/untargeted: targets .*; token Not yet\/app: .*everything/);
    expect(output).toMatch(/project Nor this: .*spaceship.*\. Nothing was changed\./);
    expect(output).not.toContain("fine");
  }
  expect((await gatehouse(["project", "get", "Not yet"])).output).toContain("no project named");
});

test("an export has every setting without secrets, and applying it to its source changes nothing", async () => {
  const file = join(folder, "export.yaml");
  expect((await gatehouse(["export", "-o", file])).code).toBe(0);
  const { output } = await gatehouse(["export"]);
  expect(output).toContain("prefix: files");
  expect(output).not.toMatch(/secret-of-the-files|svc_live_|whsec_|created_at/);
  expect((await gatehouse(["apply", "-f", file])).output).toContain("Nothing to change.");
});

test("an editor's text that looks like a reference to a variable stays that text through an export and apply", async () => {
  await answer(["project", "create", "Trapped", "--type", "ai_gateway"]);
  const keyArgs = ["admin-key", "create", "trapper", "--role", "editor", "--project", "Trapped"];
  const { key } = await answer<{ key: string }>(keyArgs);
  const asEditor = { GATEHOUSE_ADMIN_KEY: key };
  const text = "${GATEHOUSE_ADMIN_KEY}";
  const target = ["--target", "cli-mock/mock-1"];
  const trap = ["endpoint", "create", "Trapped", "trap", ...target, "--description", text, "--system-prompt", text];
  expect((await gatehouse(trap, asEditor)).code).toBe(0);
  const file = join(folder, "trapped.yaml");
  expect((await gatehouse(["export", "-o", file])).output).not.toContain("GATEHOUSE_ADMIN_KEY");
  expect((await gatehouse(["apply", "-f", file])).output).toBe("Nothing to change.\n");
  const sealed = join(folder, "trapped.age");
  const passphrase = ["--passphrase-from", "env:PASSPHRASE"];
  const env = { PASSPHRASE: "correct horse battery staple" };
  expect((await gatehouse(["export", "--with-secrets", "-o", sealed, ...passphrase], env)).code).toBe(0);
  expect((await gatehouse(["apply", "-f", sealed, ...passphrase], env)).output).toBe("Nothing to change.\n");
  expect(await answer(["endpoint", "get", "Trapped/trap"])).toMatchObject({ description: text, system_prompt: text });
});

test("a file of several documents is refused, since only one could be applied", async () => {
  const file = join(folder, "several.yaml");
  await writeFile(file, "version: 1\n---\nversion: 1\nprojects: [{ name: Second, project_type: ai_gateway }]\n");
  const { code, output } = await gatehouse(["apply", "-f", file]);
  expect(code).toBe(2);
  expect(output).toContain("the file has several documents");
});

test("`call` reaches every operation", async () => {
  expect(await answer(["call", "svc_list_projects", '{"limit": 1}'])).toMatchObject({ projects: [{}] });
  const { output } = await gatehouse(["call"]);
  expect(output).toContain("svc_apply_config");
});

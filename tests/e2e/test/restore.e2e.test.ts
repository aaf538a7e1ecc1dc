import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { armor, Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startChild } from "../src/child.ts";
import { ControlPlaneClient } from "../src/control-plane-client.ts";
import { type Product, startStandalone } from "../src/product.ts";

/** A backup of one gateway, restored into an empty one with the CLI. */

const secrets = {
  key: "sk-of-the-provider",
  // Looks like a reference, which a backup must not make of it.
  bearer: "${PATH}",
  header: "value-of-the-header",
  client: "secret-of-the-client",
  judge: "secret-of-the-judge",
};
let folder: string;
let server: Server;
let address: string;
let first: Product;
let second: Product;
let control: ControlPlaneClient;
/** Runs while a token of `/half` is awaited. */
let onHalf: () => Promise<unknown> = async () => await Promise.resolve();
/** Credentials received by the servers behind the gateways. */
const seen: (string | undefined)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-restore-"));
  server = createServer((req, res) => {
    seen.push(req.headers.authorization, req.headers["x-key"] as string | undefined);
    const choices = [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }];
    const body = { access_token: "t", token_type: "Bearer", expires_in: 3_600, id: "x", model: "m", choices };
    const reply = () => res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    req.resume().on("end", () => (req.url === "/half" ? void onHalf().finally(reply) : reply()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { EGRESS_ALLOW: "127.0.0.0/8" };
  [first, second] = await Promise.all([startStandalone({ env }), startStandalone({ env })]);
  control = new ControlPlaneClient(first);
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function gatehouse(to: Product, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const settings = { GATEHOUSE_URL: to.url, GATEHOUSE_ADMIN_KEY: to.adminKey, FORCE_COLOR: "0", ...env };
  const child = startChild("packages/cli/dist/main.js", settings, { args });
  await new Promise((resolve) => child.process.once("close", resolve));
  return { code: child.process.exitCode, output: child.output() };
}

/** One of every item in a document, with secrets of every kind. */
async function fill(): Promise<void> {
  const provider = { name: "models", kind: "openai-compatible", base_url: `${address}/v1` };
  await control.call("svc_create_provider", provider);
  await control.call("svc_create_credential", { provider: "models", name: "main", api_key: secrets.key });
  const old = await control.call<{ id: number }>("svc_create_credential", {
    provider: "models",
    name: "old",
    api_key: "sk-old",
  });
  await control.call("svc_set_credential_active", { credential_id: old.id, is_active: false });
  const make = async (name: string, type: string) =>
    (await control.call<{ uuid: string }>("svc_create_project", { name, project_type: type })).uuid;

  const chat = await make("Chat", "ai_gateway");
  const targets = [{ provider: "models", model: "m", retries: 1 }];
  await control.call("svc_create_endpoint", { project: chat, slug: "ask", targets, system_prompt: "Be brief." });
  const judge = { name: "judge", kind: "http", url: `${address}/judge`, mode: "log", secret: secrets.judge };
  const checks = { pii: { mode: "block" }, keywords: ["falcon"] };
  await control.call("svc_set_guardrails", { project: chat, ...checks, external: [judge] });
  await control.call("svc_create_token", { project: chat, name: "app", scopes: ["chat"], rate_limit_per_minute: 7 });
  const issuer = { project: chat, issuer: `${address}/idp`, audience: "gatehouse", jwks_url: `${address}/jwks` };
  const trusted = await control.call<{ id: number }>("svc_create_issuer", { ...issuer, scopes: ["chat"] });
  await control.call("svc_revoke_subject", { issuer_id: trusted.id, subject: "ann@example.com" });
  const hook = { project: chat, name: "audit", url: `${address}/hook`, events: ["token.created"] };
  const { id } = await control.call<{ id: number }>("svc_create_webhook", hook);
  await control.call("svc_set_webhook_active", { webhook_id: id, is_active: false });

  const tools = await make("Tools", "mcp_gateway");
  const upstream = { project: tools, prefix: "files", url: `${address}/mcp`, bearer_token: secrets.bearer };
  await control.call("svc_create_upstream", upstream);

  const proxy = await make("Proxy", "api_gateway");
  const oauth = {
    project: proxy,
    name: "crm",
    token_url: `${address}/token`,
    client_id: "c",
    grant: "client_credentials",
  };
  const connection = await control.call<{ id: number }>("svc_create_oauth_connection", {
    ...oauth,
    client_secret: secrets.client,
  });
  const api = { project: proxy, upstream_url: `${address}/api`, allowed_methods: ["GET"] };
  const header = { type: "header", name: "X-Key", value: secrets.header };
  await control.call("svc_create_endpoint", { ...api, slug: "keyed", auth: header });
  await control.call("svc_create_endpoint", {
    ...api,
    slug: "granted",
    auth: { type: "oauth", connection_id: connection.id },
  });
  await control.call("svc_create_token", { project: proxy, name: "app", scopes: ["proxy"] });
}

const names = {
  MODELS_MAIN_API_KEY: secrets.key,
  MODELS_OLD_API_KEY: "sk-old",
  TOOLS_FILES_BEARER_TOKEN: secrets.bearer,
  PROXY_KEYED_VALUE: secrets.header,
  PROXY_CRM_CLIENT_SECRET: secrets.client,
  CHAT_GUARDRAILS_JUDGE_SECRET: secrets.judge,
};

/** The document without generated ids. */
function comparable(text: string): unknown {
  const document = JSON.parse(text) as { readonly projects: readonly { readonly uuid: string }[] };
  return { ...document, projects: document.projects.map(({ uuid: _uuid, ...project }) => project) };
}

test("a backup restores completely into an empty gateway, and everything in it works", async () => {
  await fill();
  const file = join(folder, "backup.yaml");
  const exported = await gatehouse(first, ["export", "-o", file]);
  expect(exported.code, exported.output).toBe(0);
  for (const name of Object.keys(names)) expect(exported.output).toContain(name);
  const text = await readFile(file, "utf8");
  for (const secret of Object.values(names)) expect(text).not.toContain(secret);
  expect((await gatehouse(first, ["apply", "-f", file])).output).toContain("Nothing to change.");

  const planned = await gatehouse(second, ["apply", "-f", file, "--dry-run"]);
  expect(planned.code).toBe(1);
  for (const name of Object.keys(names)) expect(planned.output).toContain(name);
  const { PROXY_KEYED_VALUE: _one, ...others } = names;
  const refused = await gatehouse(second, ["apply", "-f", file], others);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain("${PROXY_KEYED_VALUE} (endpoint Proxy/keyed: auth.value)");
  expect((await gatehouse(second, ["project", "list"])).output).toContain("None.");

  const applied = await gatehouse(second, ["apply", "-f", file], names);
  expect(applied.code, applied.output).toBe(0);
  expect((await gatehouse(second, ["apply", "-f", file])).output).toContain("Nothing to change.");
  const [before, after] = await Promise.all([first, second].map((of) => gatehouse(of, ["--json", "export"])));
  expect(comparable(after?.output ?? "")).toEqual(comparable(before?.output ?? ""));

  expect(after?.output).toContain("ann@example.com");

  seen.length = 0;
  const tokenOf = (project: string) =>
    new RegExp(`${project}/app \\(token\\) {2}(\\S+)`).exec(applied.output)?.[1] ?? "";
  const restored = new ControlPlaneClient(second);
  const { projects } = await restored.call<{ projects: { uuid: string; name: string }[] }>("svc_list_projects", {});
  const uuidOf = (name: string) => projects.find((project) => project.name === name)?.uuid ?? "";
  const chat = await fetch(`${second.url}/api/${uuidOf("Chat")}/ask`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokenOf("Chat")}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "Hello" }),
  });
  expect(await chat.json()).toMatchObject({ ok: true, content: "hello" });
  const headers = { authorization: `Bearer ${tokenOf("Proxy")}` };
  expect((await fetch(`${second.url}/api/${uuidOf("Proxy")}/keyed`, { headers })).status).toBe(200);
  expect((await fetch(`${second.url}/api/${uuidOf("Proxy")}/granted`, { headers })).status).toBe(200);
  expect(seen).toEqual(expect.arrayContaining([`Bearer ${secrets.key}`, secrets.header, "Bearer t"]));
  expect(seen).not.toContain("Bearer sk-old");
});

const half = (url: string) => `
version: 1
projects:
  - name: First half
    project_type: ai_gateway
    tokens: [{ name: app, scopes: [chat] }]
  - name: Second half
    project_type: api_gateway
    oauth_connections:
      - { name: crm, token_url: "${url}", client_id: c, client_secret: s, grant: client_credentials }
    endpoints: [{ slug: crm, upstream_url: "https://example.com/", allowed_methods: [GET] }]
    webhooks: [{ name: audit, url: "${url}", events: [token.created] }]
`;

test("a change that would be refused is named before anything is created", async () => {
  const file = join(folder, "refused.yaml");
  await writeFile(file, half("http://169.254.169.254/"));
  for (const dryRun of [["--dry-run"], []]) {
    const refused = await gatehouse(second, ["apply", "-f", file, ...dryRun]);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("oauth_connection Second half/crm: Upstream URL blocked by SSRF guard.");
    expect(refused.output).toContain("webhook Second half/audit: Upstream URL blocked by SSRF guard.");
    expect(refused.output).toContain("Nothing was changed.");
  }
  expect((await gatehouse(second, ["export"])).output).not.toContain("First half");
});

test("a change refused midway is reported with what was created and how to continue, and loses no secret", async () => {
  const file = join(folder, "half.yaml");
  const other = new ControlPlaneClient(second);
  await writeFile(file, half(`${address}/half`));
  // During the request for the connection's token, another administrator takes the endpoint's slug.
  onHalf = async () => {
    const { projects } = await other.call<{ projects: { uuid: string; name: string }[] }>("svc_list_projects");
    const project = projects.find(({ name }) => name === "Second half")?.uuid;
    const made = { project, slug: "crm", upstream_url: "https://example.com/", allowed_methods: ["GET"] };
    await other.call("svc_create_endpoint", made);
  };
  const stopped = await gatehouse(second, ["apply", "-f", file]);
  onHalf = async () => await Promise.resolve();
  expect(stopped.code).toBe(1);
  expect(stopped.output).toMatch(/First half\/app \(token\) {2}svc_live_\w+/);
  expect(stopped.output).toContain("endpoint Second half/crm: Endpoint already exists in this project: crm");
  expect(stopped.output).toContain("4 of 6 changes were made, and stay.");
  expect(stopped.output).toContain("Not made:\n  + webhook Second half/audit");
  const fixed = await gatehouse(second, ["apply", "-f", file]);
  expect(fixed.output).toMatch(/Done: 1 created, 0 changed\./);
});

const passphrase = "correct horse battery staple";

test("a sealed backup brings every secret to an empty gateway", { timeout: 240_000 }, async () => {
  const file = join(folder, "backup.age");
  const from = ["--passphrase-from", "env:PASSPHRASE"];
  const sealing = ["export", "--with-secrets", "-o", file, ...from];
  expect(await gatehouse(first, sealing, { PASSPHRASE: "too short" })).toMatchObject({
    code: 2,
    output: expect.stringContaining("at least 12 characters") as string,
  });
  const exported = await gatehouse(first, sealing, { PASSPHRASE: passphrase });
  expect(exported.output).toContain(`sealed under the passphrase. Secrets in it: ${Object.keys(names).length}.`);
  expect(exported.output).not.toContain("Some are kept elsewhere");
  const text = await readFile(file, "utf8");
  for (const hidden of [...Object.values(secrets), "models", "Chat"]) expect(text).not.toContain(hidden);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const third = await startStandalone({ env: { EGRESS_ALLOW: "127.0.0.0/8" } });
  try {
    const cut = join(folder, "cut.age");
    await writeFile(cut, text.slice(0, -200));
    for (const [path, given, reason] of [
      [file, "another passphrase", "The passphrase does not open this backup."],
      [cut, passphrase, "The backup is damaged or cut off"],
    ] as const) {
      const refused = await gatehouse(third, ["apply", "-f", path, ...from], { PASSPHRASE: given });
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(reason)]);
    }
    const noPassphrase = await gatehouse(third, ["apply", "-f", file]);
    expect([noPassphrase.code, noPassphrase.output]).toEqual([2, expect.stringContaining("--passphrase-from")]);
    expect((await gatehouse(third, ["project", "list"])).output).toContain("None.");

    const applied = await gatehouse(third, ["apply", "-f", file, ...from], { PASSPHRASE: passphrase });
    expect([applied.code, applied.output]).toEqual([0, expect.stringContaining("Done: ")]);
    // Each gateway's secrets, which can only be read sealed to a recipient.
    const [before, after] = [await readSecrets(first), await readSecrets(third)];
    expect(after).toEqual(before);
    expect(after).toEqual(names);
  } finally {
    await third.stop();
  }
});

/** The secrets of a gateway by name, as the operator's program would read them. */
async function readSecrets(product: Product): Promise<Readonly<Record<string, string>>> {
  const identity = await generateX25519Identity();
  const { sealed_secrets: sealed } = await new ControlPlaneClient(product).call<{
    sealed_secrets: { names: Record<string, string>; parts: string[] };
  }>("svc_export_backup", { recipient: await identityToRecipient(identity) });
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const found: Record<string, string> = {};
  for (const part of sealed.parts) {
    const opened = JSON.parse(await decrypter.decrypt(armor.decode(part), "text")) as Record<string, string>;
    for (const [place, secret] of Object.entries(opened)) found[sealed.names[place] ?? place] = secret;
  }
  return found;
}

test("an export with secrets is audited as one, and is for owners of the whole gateway", async () => {
  const newest = async () => {
    const asked = { event: "backup.exported", limit: 1 };
    return (await control.call<{ entries: unknown[] }>("svc_query_audit_log", asked)).entries[0];
  };
  await expect.poll(newest, { timeout: 30_000 }).toMatchObject({ metadata: { with_secrets: true } });
  const editor = await control.call<{ key: string }>("svc_create_admin_key", { name: "ed", role: "editor" });
  const asEditor = new ControlPlaneClient({ ...first, adminKey: editor.key });
  const refused = asEditor.call("svc_export_backup", { recipient: "age1" });
  await expect(refused).rejects.toThrow("Not allowed: svc_export_backup needs the role owner");
  const wrong = control.call("svc_export_backup", { recipient: `age1${"q".repeat(58)}` });
  await expect(wrong).rejects.toThrow("recipient must be an age recipient");
});

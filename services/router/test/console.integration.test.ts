import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RouterKit, startRouter } from "./router-kit.ts";

const script = `console.log("${"x".repeat(2_000)}");`;
let folder: string;
let kit: RouterKit;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatehouse-console-"));
  await mkdir(join(folder, "assets"));
  const page = `<meta name="style-nonce" content="%STYLE_NONCE%"><meta name="service-name" content="%SERVICE_NAME%"><a href="%TRACE_URL_TEMPLATE%">`;
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, "favicon.svg"), "<svg/>");
  await writeFile(join(folder, "assets", "index-1a2b3c.js"), script);
  await writeFile(join(folder, "assets", "index-1a2b3c.js.br"), brotliCompressSync(script));
  await writeFile(join(folder, "secret.txt"), "not of the console");
  kit = await startRouter({
    consoleFolder: folder,
    env: { SERVICE_NAME: `A & "B"`, TRACE_URL_TEMPLATE: "https://t.example.com/$&/{trace_id}" },
  });
});

afterAll(async () => {
  await kit.close();
  await rm(folder, { recursive: true });
});

const get = async (path: string, init?: RequestInit) => await fetch(`${kit.origin}${path}`, init);

it.each([
  "/console",
  "/console/",
  "/console/projects/x",
  "/console/projects/x/webhooks/1?delivery=y",
  "/console/secret.txt",
])("%s is the page, with its own policy and nonce, and is not cached", async (path) => {
  const reply = await get(path);
  const body = await reply.text();
  const policy = reply.headers.get("content-security-policy") ?? "";
  const [, nonce] = /'nonce-([\w-]{22})'/.exec(policy) ?? [];
  expect(reply.status).toBe(200);
  expect(body).toContain(`name="style-nonce" content="${nonce}"`);
  expect(body).toContain(`content="A &#38; &#34;B&#34;"`);
  expect(body).toContain('href="https://t.example.com/$&#38;/{trace_id}"');
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect((await get(path)).headers.get("content-security-policy")).not.toBe(policy);
});

it("assets are cached without limit, and compressed for clients that accept it", async () => {
  const asset = "/console/assets/index-1a2b3c.js";
  const plain = await get(asset, { headers: { "accept-encoding": "identity" } });
  const brotli = await get(asset, { headers: { "accept-encoding": "gzip, deflate, br" } });
  const refused = await get(asset, { headers: { "accept-encoding": "br;q=0, gzip" } });
  expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(plain.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
  expect([plain, brotli, refused].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "br", null]);
  expect(await Promise.all([plain, brotli, refused].map(async (reply) => await reply.text()))).toEqual([
    script,
    script,
    script,
  ]);
  expect((await get("/console/favicon.svg")).headers.get("cache-control")).toBe("no-cache");
});

it.each([
  "/console/assets/index-old.js",
  "/console/assets/../secret.txt",
  "/console/assets/%2e%2e/secret.txt",
  "/consoles",
  "/.well-known/oauth-authorization-server",
  "/api/x",
])("%s is a 404 in JSON, and not a file", async (path) => {
  const reply = await get(path, { headers: { accept: "text/html" } });
  if (reply.headers.get("content-type")?.includes("html") === true) expect(await reply.text()).not.toContain("not of");
  else expect({ status: reply.status, body: await reply.json() }).toMatchObject({ status: 404, body: { ok: false } });
});

it("HEAD returns the headers alone, and other methods are refused", async () => {
  const head = await get("/console", { method: "HEAD" });
  expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: "" });
  const post = await get("/console", { method: "POST" });
  expect({ status: post.status, allow: post.headers.get("allow") }).toEqual({ status: 405, allow: "GET, HEAD" });
});

it("a router without a built console answers 404", async () => {
  const bare = await startRouter({ consoleFolder: join(folder, "absent") });
  const reply = await fetch(`${bare.origin}/console`);
  expect({ status: reply.status, body: await reply.json() }).toMatchObject({ status: 404, body: { ok: false } });
  await bare.close();
});

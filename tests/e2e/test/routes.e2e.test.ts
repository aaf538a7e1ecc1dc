import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { type Product, startStandalone } from "../src/product.ts";

let product: Product;
beforeAll(async () => {
  product = await startStandalone({ env: { LOG_LEVEL: "info" } });
});
afterAll(async () => await product.stop());

/** The router's list of routes in its log at the start. */
function listedRoutes(): {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly guards: string;
}[] {
  const line =
    product
      .output()
      .split("\n")
      .find((text) => text.includes('"routes":')) ?? "{}";
  const { routes = [] } = JSON.parse(line) as { routes?: string[] };
  return routes.map((text) => {
    const [, id = "", methods = "", path = "", guards = ""] = /^(\w+): (\S+) (\S+) \[(.*?)\]/.exec(text) ?? [];
    return { id, method: methods === "ANY" ? "POST" : (methods.split(",")[0] ?? ""), path, guards };
  });
}

test("every route that the router lists answers 401 without a token, but for the short public list", async () => {
  const routes = listedRoutes();
  expect(routes.length).toBeGreaterThan(5);
  const open: string[] = [];
  for (const { id, method, path } of routes) {
    const at = path
      .replace("{uuid}", crypto.randomUUID())
      .replace(/\{(?:slug|id)\}/, "some-slug")
      .replace("{rest}", "below");
    const reply = await fetch(product.url + at, { method, redirect: "manual" });
    if (reply.status !== 401) open.push(id);
  }
  // The console's page and sign-in, and the metadata of protected resources (RFC 9728), need no credential.
  expect(open.sort()).toEqual([
    "console",
    "console_sign_in",
    "healthz",
    "index",
    "oauth_resource",
    "sign_in_providers",
    "sign_in_return",
    "sign_in_start",
  ]);
});

test("metrics carry bounded labels only", async () => {
  await send(product, "/api/scanner/../../etc/passwd", { method: "GET" });
  await send(product, `/api/${crypto.randomUUID()}/unique-slug-of-a-scanner`, { body: {} });
  const text = await (await fetch(`${product.operationsUrl}/metrics`)).text();
  expect(text).toContain("gatehouse_");
  expect(text).not.toContain("unique-slug-of-a-scanner");
});

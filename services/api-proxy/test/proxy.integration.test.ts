import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "@gatehouse/postgres/testing";
import serveStatic from "serve-handler";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type ProxyKit, startProxyKit } from "./proxy-kit.ts";

const folder = fileURLToPath(new URL("..", import.meta.url));
const stops: (() => Promise<unknown> | void)[] = [];
let database: TestDatabase;
let kit: ProxyKit;
let files: string;

beforeAll(async () => {
  database = await createTestDatabase();
  kit = await startProxyKit({ database });
  const server = createServer((req, res) => void serveStatic(req, res, { public: folder, cleanUrls: false }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.closeAllConnections());
  files = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  await kit.close();
  await database.drop();
});

describe("before a static file server", () => {
  test("a file comes through with its status, type and bytes, at the endpoint's own path", async () => {
    const slug = await kit.createEndpoint({ upstreamUrl: `${files}/prisma`, allowedMethods: ["GET", "HEAD"] });
    const reply = await fetch(kit.origin + kit.pathOf(slug, "/schema.prisma?x=1"));
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain("model OauthConnection");
    expect(reply.headers.get("x-request-id")).toMatch(/^req-/);
  });
});

import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { createTestCertificates, FollowedCertificates } from "@gatehouse/certificates/testing";
import { lookEveryMs, serviceNames, type ServiceTls } from "@gatehouse/trust";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { processNames, startServices } from "../src/product.ts";
import { answer } from "../src/scripted-provider.ts";
import { describeChat } from "./suite/chat-suite.ts";
import { guard } from "./suite/guardrail-suite.ts";
import { describeMcpBridge } from "./suite/mcp-bridge-suite.ts";
import { createWorld, type World } from "./suite/world.ts";

describe("services that speak TLS to each other", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-e2e-tls-"));
  const certificates = new FollowedCertificates(folder, serviceNames);
  let world: World;
  beforeAll(async () => {
    world = await createWorld(async () => await startServices({ certificates }));
  });
  afterAll(async () => {
    await world.stop();
    rmSync(folder, { recursive: true });
  });

  describeChat(() => world);
  describeMcpBridge(() => world);

  /** Addresses of every service but the router. */
  const serviceUrls = () => world.product.metricsUrls.filter((url) => url.startsWith("https:"));

  /** Status of a request with a service's certificate, or with none. */
  async function ask(url: string, identity?: { readonly cert: string; readonly key: string }): Promise<number> {
    return await new Promise((resolve, reject) => {
      const options = { ...identity, rejectUnauthorized: false, agent: false, method: "POST" } as const;
      const sent = request(url, options, (reply) => (reply.resume(), resolve(reply.statusCode ?? 0)));
      sent.once("error", reject).end("{}");
    });
  }

  test("each service answers health probes, and nothing else without the router's certificate", async () => {
    const strangers = createTestCertificates();
    const identityOf = (tls: ServiceTls) => {
      const { cert, key } = tls.current().options;
      return { cert, key };
    };
    expect(serviceUrls()).toHaveLength(serviceNames.length - 1);
    for (const url of serviceUrls()) {
      for (const path of ["/healthz", "/readyz", "/metrics"]) expect([200, 503]).toContain(await ask(url + path));
      const path = "/openai-completions/00000000-0000-4000-8000-000000000000/x";
      // A service without an HTTP API answers only health checks.
      const statuses = [
        await ask(url + path),
        await ask(url + path, identityOf(certificates.of("guardrail"))),
        await ask(url + path, identityOf(strangers.of("router"))),
      ];
      for (const status of statuses) expect([401, 404]).toContain(status);
    }
  });

  test("plaintext on their ports is cut off", async () => {
    for (const url of serviceUrls()) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
      let answered = "";
      socket.on("data", (bytes) => (answered += bytes.toString("latin1")));
      await new Promise((resolve) => socket.once("close", resolve));
      expect(answered).not.toContain("HTTP/1.1");
    }
  });

  test("no call fails while an authority and all certificates are replaced, and old ones are refused", async () => {
    const limits = { rate_limit_per_minute: null, rate_limit_per_hour: null };
    const fixture = await guard(world, { keywords: ["falcon"] }, { limits });
    world.primary.play(answer("ok"));
    const statuses: Record<string, number> = {};
    const over = new AbortController();
    const call = async () => {
      while (!over.signal.aborted) {
        const { status } = await send(world.product, fixture.path, { token: fixture.token, body: { message: "dove" } });
        statuses[status] = (statuses[status] ?? 0) + 1;
        await world.control.call("svc_list_providers", {});
      }
    };
    const calling = [call(), call(), call()];
    const [url = ""] = serviceUrls();
    const serialOf = async () => await shownCertificate(url);
    const before = await serialOf();
    certificates.rotate();
    await expect.poll(serialOf, { timeout: 60_000, interval: 200 }).not.toBe(before);
    for (const other of serviceUrls()) expect(await shownCertificate(other)).toBeDefined();
    certificates.dropOld();
    // By then every process has reread the file, and calls have followed.
    const lookedByMs = performance.now() + lookEveryMs;
    await expect.poll(() => performance.now(), { timeout: 60_000 }).toBeGreaterThan(lookedByMs);
    const seen = statuses["200"] ?? 0;
    await expect.poll(() => statuses["200"] ?? 0, { timeout: 60_000 }).toBeGreaterThan(seen + 20);
    over.abort();
    await Promise.all(calling);
    expect(Object.keys(statuses)).toEqual(["200"]);
    // New connections to the guardrail use certificates without the old authority. No calls meanwhile: it is the only process of
    // its service, and calls wait only for their bound. Callers find it by their next probe.
    await world.product.restart(processNames.indexOf("guardrail"));
    const dove = { token: fixture.token, body: { message: "dove" } };
    const statusNow = async () => (await send(world.product, fixture.path, dove)).status;
    await expect.poll(statusNow, { timeout: 60_000 }).toBe(200);
  });
});

/** Serial number of the certificate that a server presents. */
async function shownCertificate(url: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { rejectUnauthorized: false, agent: false }, (reply) => {
      const { socket } = reply;
      reply.resume();
      resolve("getPeerCertificate" in socket ? (socket as TLSSocket).getPeerCertificate().serialNumber : "");
    });
    sent.once("error", reject).end();
  });
}

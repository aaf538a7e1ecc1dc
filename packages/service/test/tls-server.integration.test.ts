import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get as getOverTls } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestCertificates } from "@gatehouse/certificates/testing";
import { EnvReader } from "@gatehouse/config";
import { sendJson } from "@gatehouse/http";
import { createPrincipalSigner, internalHeaders } from "@gatehouse/principal";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { readServiceTls, type ServiceName } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import { afterEach, expect, test } from "vitest";
import { isReady, serveService, type ServiceServer } from "../src/index.ts";

const trust = createTestTrust();
const certificates = createTestCertificates();
const signed = {
  [internalHeaders.principal]: createPrincipalSigner(trust.of("router"), "chat")(
    { kind: "admin", adminKeyId: 1, name: "test", role: "owner", projects: null },
    "GET",
  ),
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(drainTimeoutMs: number): Promise<ServiceServer & { readonly calls: () => number }> {
  let calls = 0;
  const service = {
    name: "chat",
    rpc: [],
    start: async () => {},
    stop: async () => {},
    readiness: async () => await Promise.resolve(isReady),
    async http(...[, res]: Parameters<NonNullable<Parameters<typeof serveService>[0]["http"]>>) {
      calls += 1;
      await Promise.resolve(sendJson(res, { status: 200, body: {} }));
    },
  };
  const config = {
    host: "127.0.0.1",
    httpPort: 0,
    rpcPort: 0,
    trust: trust.of("chat"),
    tls: certificates.of("chat"),
    logLevel: "silent",
    otlp: undefined,
    stopNoticeMs: 0,
    drainTimeoutMs,
    writeIdleTimeoutMs: 120_000,
  } as const;
  const server = await serveService(service, config, createSilentTelemetry());
  stops.push(async () => await server.stop());
  return { ...server, calls: () => calls };
}

/** Sends a request with the router's signature of a caller, on a connection of the named service. @returns its status. */
async function get(port: number, path: string, caller: ServiceName | undefined): Promise<number | undefined> {
  const own = caller === undefined ? undefined : certificates.issue(caller);
  const asked = getOverTls({
    host: "127.0.0.1",
    port,
    path,
    headers: signed,
    agent: false,
    ca: certificates.authority.certificate,
    servername: "chat",
    ...(own === undefined ? {} : { cert: own.certificate, key: own.key }),
  });
  const [reply] = (await once(asked, "response")) as [{ readonly statusCode?: number; resume(): void }];
  reply.resume();
  return reply.statusCode;
}

test("a principal signed by the router is accepted only on a connection of the router", async () => {
  const { httpPort, calls } = await start(1_000);
  expect(await get(httpPort, "/api/x", "guardrail")).toBe(401);
  expect(await get(httpPort, "/api/x", undefined)).toBe(401);
  expect(calls()).toBe(0);
  expect(await get(httpPort, "/api/x", "router")).toBe(200);
  expect(calls()).toBe(1);
});

/** Requests a connection that carries calls. @returns whether it was granted. */
async function opensCarrier(port: number, caller: ServiceName | undefined): Promise<boolean> {
  const own = caller === undefined ? undefined : certificates.issue(caller);
  const asked = getOverTls({
    host: "127.0.0.1",
    port,
    path: "/healthz",
    headers: { connection: "upgrade", upgrade: "gatehouse-calls" },
    agent: false,
    ca: certificates.authority.certificate,
    servername: "chat",
    ...(own === undefined ? {} : { cert: own.certificate, key: own.key }),
  });
  return await new Promise((resolve) => {
    asked.once("upgrade", (_reply, socket) => {
      socket.destroy();
      resolve(true);
    });
    asked.once("response", () => resolve(false)).once("error", () => resolve(false));
  });
}

test("only the router's connections can carry calls", async () => {
  const { httpPort } = await start(1_000);
  expect(await opensCarrier(httpPort, "guardrail")).toBe(false);
  expect(await opensCarrier(httpPort, undefined)).toBe(false);
  expect(await opensCarrier(httpPort, "router")).toBe(true);
});

test("a connection without a handshake is closed by the drain", async () => {
  const drainTimeoutMs = 100;
  const { httpPort, stop } = await start(drainTimeoutMs);
  const socket = connect(httpPort, "127.0.0.1").resume();
  const closed = once(socket, "close");
  await once(socket, "connect");
  const beganMs = performance.now();
  await Promise.all([stop(), closed]);
  // Far below the bound of a handshake, which would also end it.
  expect(performance.now() - beganMs).toBeLessThan(5_000);
});

test("a process names the setting of a certificate that no authority covers", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
  try {
    const { certificate, key } = certificates.issue("chat", 3_600_000);
    writeFileSync(join(folder, "crt"), certificate);
    const env = new EnvReader({
      GATEHOUSE_TLS_CERTIFICATE_FILE: join(folder, "crt"),
      GATEHOUSE_TLS_KEY: key,
      GATEHOUSE_TLS_CA: createTestCertificates().authority.certificate,
    });
    expect(readServiceTls(env)).toBeUndefined();
    expect(() => env.finish()).toThrow("GATEHOUSE_TLS_CERTIFICATE_FILE cannot be used: none of the authorities");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { createTestCertificates, FollowedCertificates } from "@gatehouse/certificates/testing";
import { HealthDefinition } from "@gatehouse/proto/health";
import type { ServiceTls } from "@gatehouse/trust";
import { createChannel, createClient } from "nice-grpc";
import { afterEach, expect, test } from "vitest";
import { open, scripted, serve, trust } from "./scripted-service.ts";

const certificates = createTestCertificates();
const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** `resolveToken` is a hot method and uses the stream, `listTrustedIssuers` is a unary call. */
async function start(tls: ServiceTls) {
  const served = { calls: 0 };
  const server = await serve(
    scripted({
      resolveToken: async () => ((served.calls += 1), await Promise.resolve({})),
      listTrustedIssuers: async () => ((served.calls += 1), await Promise.resolve({ issuers: [] })),
    }),
    { tls },
  );
  stops.push(async () => await server.stop(0));
  return { port: server.port, served, server };
}

function openClient(port: number, ...args: [tls?: ServiceTls, options?: Parameters<typeof open>[1]]) {
  const [tls, options] = args;
  const { channel, client } = open(port, { tls, waitMs: 700, ...options });
  stops.push(() => channel.close());
  return client;
}

test("calls and hot calls work between services with certificates of one authority", async () => {
  const { port, served } = await start(certificates.of("control-plane"));
  const client = openClient(port, certificates.of("router"));
  await expect(client.resolveToken({})).resolves.toEqual({});
  await expect(client.listTrustedIssuers({})).resolves.toEqual({ issuers: [] });
  expect(served.calls).toBe(2);
});

const strangers = createTestCertificates();
test.each<[string, () => ServiceTls | undefined]>([
  ["of another authority", () => strangers.of("router")],
  ["that has expired", () => certificates.of("router", certificates.issue("router", -1_000))],
  ["that is absent, on a plain connection", () => undefined],
])("a caller with a certificate %s gets no call through", async (_what, tls) => {
  const { port, served } = await start(certificates.of("control-plane"));
  const client = openClient(port, tls());
  await expect(client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
  await expect(client.listTrustedIssuers({})).rejects.toMatchObject({ code: "unavailable" });
  expect(served.calls).toBe(0);
});

test("a TLS caller without a certificate is cut off", async () => {
  const { port } = await start(certificates.of("control-plane"));
  const socket = connectTls({
    port,
    host: "127.0.0.1",
    ca: certificates.authority.certificate,
    servername: "control-plane",
    ALPNProtocols: ["h2"],
  });
  const ended = new Promise((resolve) => socket.once("error", resolve));
  // A TLS 1.3 server refuses after the client's handshake has ended.
  socket.once("secureConnect", () => socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  await expect(ended).resolves.toMatchObject({
    code: expect.stringMatching(/^(ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED|ECONNRESET)$/),
  });
});

test("a connection that never begins its handshake is cut off, and does not delay the stop", async () => {
  const { port, server } = await start(certificates.of("control-plane"));
  const socket = connect(port, "127.0.0.1").resume();
  const closed = once(socket, "close");
  await once(socket, "connect");
  // Well before Node's bound of two minutes, and this test's.
  await Promise.all([server.stop(0), closed]);
});

test("a service's certificate carries no other service's identity", async () => {
  const { port, served } = await start(certificates.of("control-plane"));
  // The identity is the router's, as with a stolen signing key.
  const client = openClient(port, certificates.of("guardrail"));
  await expect(client.listTrustedIssuers({})).rejects.toMatchObject({ code: "internal" });
  await expect(client.resolveToken({})).rejects.toMatchObject({ code: "internal" });
  expect(served.calls).toBe(0);
});

test("a service with its own certificate and identity that may not call is refused", async () => {
  const { port, served } = await start(certificates.of("control-plane"));
  const client = openClient(port, certificates.of("guardrail"), { trust: trust.of("guardrail") });
  await expect(client.listTrustedIssuers({})).rejects.toMatchObject({ code: "internal" });
  expect(served.calls).toBe(0);
});

test("a process with another service's certificate, or without TLS, is not called", async () => {
  const { port, served } = await start(certificates.of("guardrail"));
  const client = openClient(port, certificates.of("router"));
  await expect(client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
  const plain = await serve(scripted({ resolveToken: async () => ((served.calls += 1), await Promise.resolve({})) }));
  stops.push(async () => await plain.stop(0));
  const other = openClient(plain.port, certificates.of("router"));
  await expect(other.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
  expect(served.calls).toBe(0);
});

test("bytes other than TLS end the connection and affect no other", async () => {
  const { port } = await start(certificates.of("control-plane"));
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await new Promise((resolve) => socket.once("close", resolve));
  const health = createClient(HealthDefinition, createChannel(`127.0.0.1:${port}`));
  await expect(health.check({}, { signal: AbortSignal.timeout(500) })).rejects.toThrow();
  await expect(openClient(port, certificates.of("router")).resolveToken({})).resolves.toEqual({});
});

test("a new authority and new certificates take effect under running calls, and the old ones are refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-tls-"));
  stops.push(() => rmSync(folder, { recursive: true }));
  const files = new FollowedCertificates(folder, ["control-plane", "router"]);
  const before = files.of("router");
  const { context: oldContext } = before.current();
  const { port } = await start(files.of("control-plane"));
  const tls = files.of("router");
  const client = openClient(port, tls);
  const outcome = { answered: 0, failed: [] as unknown[], isOver: false };
  const call = async (ask: () => Promise<unknown>) => {
    while (!outcome.isOver) {
      await ask().then(
        () => (outcome.answered += 1),
        (err: unknown) => outcome.failed.push(err),
      );
    }
  };
  const running = [
    ...Array.from({ length: 4 }, async () => await call(async () => await client.resolveToken({}))),
    ...Array.from({ length: 4 }, async () => await call(async () => await client.listTrustedIssuers({}))),
  ];
  const untilAnswered = async (count: number) => {
    const wanted = outcome.answered + count;
    await expect.poll(() => outcome.answered, { timeout: 20_000 }).toBeGreaterThan(wanted);
  };
  await untilAnswered(100);
  files.rotate();
  await untilAnswered(100);
  // A new connection uses the new certificates.
  await expect(openClient(port, tls).resolveToken({})).resolves.toEqual({});
  files.dropOld();
  await untilAnswered(100);
  await expect(openClient(port, tls).resolveToken({})).resolves.toEqual({});
  outcome.isOver = true;
  await Promise.all(running);
  expect(outcome.failed).toEqual([]);
  const late = connectTls({ port, host: "127.0.0.1", secureContext: oldContext, rejectUnauthorized: false });
  late.on("error", () => {});
  late.once("secureConnect", () => late.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  await new Promise((resolve) => late.once("close", resolve));
});

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { readBody, sendJson } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import { afterEach, describe, expect, it } from "vitest";
import type { IssuedToken } from "./fake-control-plane.ts";
import { type RouterKit, startRouter, until } from "./router-kit.ts";

const mebibyte = 1024 * 1024;
const bodyMax = { sizeBytesMax: 4 * mebibyte, timeoutMs: 60_000 };
/** Bytes of bodies that services have read. */
let readBytes = 0;

const service: ServiceHandler = async (req, res) => {
  const body = await readBody(req, bodyMax).catch(() => undefined);
  readBytes += body?.length ?? 0;
  if (body === undefined) res.destroy();
  else sendJson(res, { status: 200, body: { bytes: body.length } });
};

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  readBytes = 0;
});

async function start(env: Readonly<Record<string, string>>, chat = service): Promise<RouterKit> {
  const kit = await startRouter({ chat, env: { TOKEN_SHARE_PERCENT: "25", ...env } });
  stops.push(async () => await kit.close());
  return kit;
}

async function call(kit: RouterKit, { token, projectUuid }: IssuedToken, bytes: number) {
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${kit.origin}/api/${projectUuid}/s`, {
    method: "POST",
    headers,
    body: Buffer.alloc(bytes, "a"),
  });
  return { status: reply.status, retryAfter: reply.headers.get("retry-after"), body: (await reply.json()) as object };
}

/** Opens a connection and sends a request head with one further line, and optionally part of a body. */
async function open(
  kit: RouterKit,
  { token, projectUuid }: IssuedToken,
  [line, body]: [string, string],
): Promise<Socket> {
  const socket = connect(kit.router.port(), "127.0.0.1");
  socket.on("error", () => {});
  stops.push(() => socket.destroy());
  await once(socket, "connect");
  const head = `POST /api/${projectUuid}/s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${line}\r\n\r\n`;
  socket.write(head + body);
  return socket;
}

const tight = { BODY_BYTES_PER_SECOND: String(mebibyte), BODY_BURST_BYTES: String(4 * mebibyte) };

describe("bodies that come faster than their project may send them", () => {
  it("wait unread, are forwarded as the rate allows, and delay neither small bodies nor other projects", async () => {
    const kit = await start(tight);
    const [hostile, honest] = [kit.controlPlane.issueToken(), kit.controlPlane.issueToken()];
    const startedAt = performance.now();
    await call(kit, hostile, 4 * mebibyte);
    const waiting = call(kit, hostile, mebibyte);
    expect((await call(kit, hostile, 1_000)).status).toBe(200);
    expect((await call(kit, honest, 4 * mebibyte)).status).toBe(200);
    expect(readBytes).toBe(8 * mebibyte + 1_000);
    expect((await waiting).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it("are refused after a bounded wait, with the rate, the setting and the time to wait", async () => {
    const kit = await start(tight);
    const hostile = kit.controlPlane.issueToken();
    await call(kit, hostile, 4 * mebibyte);
    const replies = await Promise.all(Array.from({ length: 4 }, async () => await call(kit, hostile, 4 * mebibyte)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(3);
    const refused = replies.find(({ status }) => status === 429);
    expect(Number(refused?.retryAfter)).toBeGreaterThanOrEqual(1);
    expect(refused?.body).toMatchObject({
      ok: false,
      error: `Too much at once: this project may send ${mebibyte} bytes of large request bodies a second.`,
      detail: expect.stringContaining("BODY_BYTES_PER_SECOND"),
      bound: "project.bodyBytesPerSecond",
    });
    expect(readBytes).toBe(8 * mebibyte);
  });

  it("leave the queue at once when their clients leave", async () => {
    const kit = await start(tight);
    const hostile = kit.controlPlane.issueToken();
    await call(kit, hostile, 4 * mebibyte);
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => await open(kit, hostile, [`Content-Length: ${4 * mebibyte}`, "x"])),
    );
    const gauge = async (name: string) => {
      const text = await (await fetch(`${kit.operationsOrigin}/metrics`)).text();
      return Number(new RegExp(`^gatehouse_router_${name} (\\d+)$`, "m").exec(text)?.[1]);
    };
    await until(async () => (await gauge("requests_in_flight")) === 20);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await gauge("requests_in_flight")) === 0, 2_000);
    expect(await gauge("buffered_bytes")).toBe(0);
  });

  it("without a length are charged as they arrive, and cut off", async () => {
    const kit = await start(tight);
    const hostile = kit.controlPlane.issueToken();
    await call(kit, hostile, 4 * mebibyte);
    const piece = `80000\r\n${"b".repeat(0x8_00_00)}\r\n`;
    const socket = await open(kit, hostile, ["Transfer-Encoding: chunked", piece.repeat(4)]);
    const [head] = (await once(socket, "data")) as [Buffer];
    expect(head.toString()).toMatch(/^HTTP\/1\.1 429 /);
  });
});

describe("large bodies that have come whole", () => {
  it("are processed one at a time, round-robin over projects", async () => {
    const order: string[] = [];
    let begun = 0;
    const kit = await start({}, async (req, res, { principal }) => {
      begun += 1;
      const body = await readBody(req, bodyMax);
      order.push(principal.kind === "token" ? principal.project.uuid : "");
      // Simulates an expensive parse.
      for (const until = performance.now() + 30; performance.now() < until;) Math.sqrt(2);
      sendJson(res, { status: 200, body: { bytes: body.length } });
    });
    const [hostile, honest] = [kit.controlPlane.issueToken(), kit.controlPlane.issueToken()];
    const all = Array.from({ length: 8 }, async () => await call(kit, hostile, mebibyte));
    await until(() => begun === all.length && order.length > 0);
    all.push(call(kit, honest, mebibyte));
    for (const { status } of await Promise.all(all)) expect(status).toBe(200);
    expect(order.indexOf(honest.projectUuid)).toBeLessThan(5);
    expect(order).toHaveLength(9);
  });
});

import type { IncomingMessage, ServerResponse } from "node:http";
import { codeOf, toGatewayError } from "@gatehouse/errors";
import { Pool, request } from "undici";
import { expect } from "vitest";
import { carrierProtocol } from "../src/carrier/bounds.ts";
import { encodeFrames, type Frame, FrameReader, type ReadFrame } from "../src/carrier/frames.ts";
import {
  CarryingDispatcher,
  defaultHttpServerBounds,
  endToEndHeaders,
  forward,
  type HttpServerOptions,
  isCarried,
  readBody,
  sendError,
  startHttpServer,
} from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";

const stops: (() => Promise<void>)[] = [];

/** Stops everything that the pairs of a test have opened. */
export async function stopPairs(): Promise<void> {
  for (const stop of stops.splice(0).toReversed()) await stop();
}

export type Answer = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A server behind a proxy that forwards to it by carried calls, once `/ready` has been called. */
export async function startPair(answer: Answer, options: Partial<HttpServerOptions> = {}, headersTimeoutMs = 5_000) {
  const seen: boolean[] = [];
  const back = await startHttpServer(
    (req, res) => {
      if (req.url === "/ready") return void res.end(String(isCarried(req)));
      if (req.url !== "/healthz") seen.push(isCarried(req));
      return void answer(req, res);
    },
    { host: "127.0.0.1", port: 0, upgrades: true, carrying: { admits: () => true }, ...options },
  );
  let isStopped = false;
  const stopBack = async (drainMs = 0) => {
    if (!isStopped) await back.stop(drainMs);
    isStopped = true;
  };
  stops.push(async () => await stopBack());
  const origin = `http://127.0.0.1:${back.port}`;
  const pool = new Pool(origin);
  const dispatcher = new CarryingDispatcher({ pool: () => pool, upgrades: pool });
  const failures: unknown[] = [];
  const fronts: ServerResponse[] = [];
  const front = await startHttpServer(
    (req, res) => {
      fronts.push(res);
      const body = req.url === "/piped" ? undefined : readBody(req, { sizeBytesMax: 1e7, timeoutMs: 1_000 });
      const headers = endToEndHeaders(req.headers, new Set(["host"]));
      const bounds = { headersTimeoutMs, bodyTimeoutMs: 5_000, brokenStreamEvent: "broken" };
      const send = async () => {
        const read = await body;
        const held = read === undefined ? {} : { body: read };
        await forward(req, res, { dispatcher, origin, path: req.url ?? "/", headers, ...bounds, ...held });
      };
      send().catch((cause: unknown) => {
        const err = toGatewayError(cause);
        failures.push(codeOf(err.cause) ?? err.code);
        sendError(res, err);
      });
    },
    { host: "127.0.0.1", port: 0, bounds: { ...defaultHttpServerBounds, headerBytesMax: 256 * 1024 } },
  );
  stops.push(async () => {
    dispatcher.close();
    await front.stop(0);
    await pool.destroy();
  });
  const ask = async (path: string, body = "{}") => {
    const reply = await request(`http://127.0.0.1:${front.port}${path}`, { method: "POST", body });
    return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
  };
  const isReady = async () => (await ask("/ready")).text;
  return { back, stopBack, front, dispatcher, ask, isReady, seen, failures, fronts };
}

type Options = Parameters<typeof startPair>;

/** As `startPair`, once calls are carried. */
export async function startReadyPair(...options: Options) {
  const pair = await startPair(...options);
  await expect.poll(pair.isReady, { timeout: 5_000 }).toBe("true");
  return pair;
}

/** A caller whose frames a test writes by hand. */
export async function openCarrier(port: number) {
  const client = await connectRaw(port);
  client.write(`GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: ${carrierProtocol}\r\n\r\n`);
  await client.until(/ 101 [^]*\r\n\r\n/);
  const reader = new FrameReader();
  const read: ReadFrame[] = [];
  client.socket.on("data", (chunk: Buffer) => reader.read(chunk, (frame) => void read.push(frame)));
  return { ...client, read, send: (...frames: readonly Frame[]) => client.write(encodeFrames(frames)) };
}

import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { countTurns } from "@gatehouse/pace/testing";
import { Agent } from "undici";
import { afterEach, expect, test } from "vitest";
import { HttpExchange } from "../src/index.ts";

let server: Server | undefined;
let agent: Agent | undefined;
afterEach(async () => {
  await agent?.destroy();
  server?.closeAllConnections();
  server?.close();
});

interface Seen {
  readonly status: number;
  readonly text: string;
}

async function send(body: string | Uint8Array, listener: RequestListener): Promise<Seen> {
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = (agent = new Agent());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return await new Promise((resolve, reject) => {
    let status = 0;
    let text = "";
    const exchange = new HttpExchange({
      onHead: (given) => (status = given),
      onBytes: (bytes) => (text += bytes.toString()),
      onEnd: () => resolve({ status, text }),
      onFailure: (cause) => reject(cause instanceof Error ? cause : new Error(String(cause))),
    });
    exchange.start(client, { origin, path: "/", method: "POST", headers: { "x-mine": "1" }, body });
  });
}

/** Answers with the announced length and a sum of the received bytes. */
const summing: RequestListener = (req, res) => {
  const chunks: Buffer[] = [];
  req.on("data", (chunk: Buffer) => chunks.push(chunk));
  req.on("end", () => res.end(`${req.headers["content-length"]} ${sumOf(Buffer.concat(chunks))}`));
};

function sumOf(bytes: Buffer): string {
  return `${bytes.length} ${bytes.reduce((sum, byte, at) => (sum * 31 + byte + at) % 1_000_003, 7)}`;
}

const large = "ä€🙂a".repeat(300_000);

test.each([
  ["a text", large],
  ["bytes", Buffer.from(large)],
  ["a small text", "ä"],
])("%s arrives complete, with its length", async (_name, body) => {
  const bytes = Buffer.from(body);
  expect(await send(body, summing)).toEqual({ status: 200, text: `${bytes.length} ${sumOf(bytes)}` });
});

test("a large body is written in pieces, and the event loop runs between them", async () => {
  const counted = countTurns();
  await send(large, summing);
  counted.stop();
  expect(counted.turns).toBeGreaterThan(Buffer.byteLength(large) / 65_536);
});

test("a reply that comes before the whole body was taken is read", async () => {
  const refusing: RequestListener = (_req, res) => void res.writeHead(413, { connection: "close" }).end("too large");
  expect(await send("a".repeat(8_000_000), refusing)).toEqual({ status: 413, text: "too large" });
});

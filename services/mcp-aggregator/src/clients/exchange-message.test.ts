import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { ByteAccount } from "./byte-account.ts";
import { CallScope } from "./call-scope.ts";
import { exchangeMessage } from "./exchange-message.ts";
import { messagesPerTurnMax } from "./message-queue.ts";

const bytesMax = 16 * 1024 * 1024;

/** Starts a server that answers every request with this event stream; returns its address. */
async function serve(body: string): Promise<URL> {
  return await listen((_request, res) => res.writeHead(200, { "content-type": "text/event-stream" }).end(body));
}

async function listen(answer: RequestListener): Promise<URL> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  return new URL(`http://127.0.0.1:${address.port}/mcp`);
}

const question = 'data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n';
const answer = 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';

function requestTo(url: URL) {
  const account = new ByteAccount(bytesMax);
  const bounds = { idleTimeoutMs: 30_000, sizeBytesMax: bytesMax, account };
  return { method: "POST", url, headers: {}, token: undefined, body: "{}", ...bounds } as const;
}

test.each(["Text/Event-Stream", "TEXT/EVENT-STREAM; Charset=UTF-8"])(
  "the answer in an open stream of type %s is read as it arrives",
  async (type) => {
    const url = await listen((_request, res) => void res.writeHead(200, { "content-type": type }).write(answer));
    const dispatcher = new Agent();
    onTestFinished(async () => await dispatcher.destroy());
    using scope = new CallScope(5_000);
    const message = { request: requestTo(url), id: "1", scope, onServerRequest: () => {} };
    expect((await exchangeMessage(dispatcher, message)).answer).toMatchObject({ kind: "result" });
  },
);

/** Reads an event stream up to its answer. @returns the numbers of the upstream's own requests read per turn of the event loop */
async function requestsByTurn(body: string, workMs = 0): Promise<readonly number[]> {
  const dispatcher = new Agent();
  onTestFinished(async () => await dispatcher.close());
  const url = await serve(body);
  const readInTurn: number[] = [];
  let read = 0;
  let isOver = false;
  const endTurn = () => {
    readInTurn.push(read);
    read = 0;
    if (!isOver) setImmediate(endTurn);
  };
  setImmediate(endTurn);
  using scope = new CallScope(30_000);
  const reply = await exchangeMessage(dispatcher, {
    request: requestTo(url),
    id: "1",
    scope,
    onServerRequest: () => {
      read += 1;
      for (const until = performance.now() + workMs; performance.now() < until;);
    },
  });
  isOver = true;
  expect(reply.answer).toMatchObject({ kind: "result" });
  return [...readInTurn, read];
}

test("an upstream's own requests are read a few per turn, also when many arrive at once", async () => {
  const readInTurn = await requestsByTurn(question.repeat(20_000) + answer);
  expect(readInTurn.reduce((sum, read) => sum + read)).toBe(20_000);
  expect(Math.max(...readInTurn)).toBeLessThanOrEqual(messagesPerTurnMax);
});

test("slow requests are read for a slice of time per turn", async () => {
  const readInTurn = await requestsByTurn(question.repeat(1_000) + answer, 0.2);
  expect(readInTurn.reduce((sum, read) => sum + read)).toBe(1_000);
  expect(Math.max(...readInTurn)).toBeLessThanOrEqual(10);
});

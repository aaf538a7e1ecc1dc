import { once } from "node:events";
import { createServer } from "node:http";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { ByteAccount } from "./byte-account.ts";
import { CallScope } from "./call-scope.ts";
import { exchangeMessage } from "./exchange-message.ts";

const bytesMax = 16 * 1024 * 1024;

/** The address of a server that answers every request with this event stream. */
async function serve(body: string): Promise<URL> {
  const server = createServer((_request, res) => res.writeHead(200, { "content-type": "text/event-stream" }).end(body));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  return new URL(`http://127.0.0.1:${address.port}/mcp`);
}

test("very many messages that come in one read leave others their turn between them", async () => {
  const question = 'data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n';
  const answer = 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
  const url = await serve(question.repeat(4_000) + answer);
  const dispatcher = new Agent();
  onTestFinished(async () => await dispatcher.close());
  const readInTurn: number[] = [];
  let total = 0;
  let read = 0;
  const counting = setInterval(() => {
    readInTurn.push(read);
    read = 0;
  });
  using scope = new CallScope(30_000);
  const reply = await exchangeMessage(dispatcher, {
    request: {
      method: "POST",
      url,
      headers: {},
      token: undefined,
      body: "{}",
      idleTimeoutMs: 30_000,
      sizeBytesMax: bytesMax,
      account: new ByteAccount(bytesMax),
    },
    id: "1",
    scope,
    onServerRequest: () => {
      read += 1;
      total += 1;
      for (const until = performance.now() + 0.05; performance.now() < until;);
    },
  });
  clearInterval(counting);
  expect(reply.answer).toMatchObject({ kind: "result" });
  expect(total).toBe(4_000);
  // A read of 64 KiB has over a thousand of them, a slice of a millisecond about twenty.
  expect(Math.max(read, ...readInTurn)).toBeLessThan(400);
});

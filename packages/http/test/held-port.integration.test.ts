import { createServer } from "node:net";
import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { type HttpServer, startHttpServer } from "../src/index.ts";
import { type HeldPort, holdPort } from "../src/index.ts";

const host = "127.0.0.1";
const held: HeldPort[] = [];
const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(0);
  for (const port of held.splice(0)) port.release();
});

async function hold(): Promise<HeldPort> {
  const port = await holdPort({ host, port: 0 });
  held.push(port);
  return port;
}

/** A server on the held socket, as a process has it that was given the socket. */
async function serve({ fd }: HeldPort, text: string): Promise<HttpServer> {
  const server = await startHttpServer((_req, res) => void res.end(text), {
    host,
    port: 0,
    shared: { socket: { fd } },
  });
  servers.push(server);
  return server;
}

async function ask({ port }: HeldPort): Promise<string> {
  return await (await fetch(`http://${host}:${port}`, { headers: { connection: "close" } })).text();
}

test("a call that comes before any process listens waits for the first one", async () => {
  const port = await hold();
  const answer = ask(port);
  await serve(port, "first");
  expect(await answer).toBe("first");
});

test("a port that is taken is refused, by its code", async () => {
  const taken = createServer().listen(0, host);
  await once(taken, "listening");
  const { port } = taken.address() as { readonly port: number };
  await expect(holdPort({ host, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  taken.close();
});

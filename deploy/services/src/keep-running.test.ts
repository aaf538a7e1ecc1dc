import { expect, test } from "vitest";
import { type KeptServer, keepRunning } from "./keep-running.ts";

/** A server that counts, and can end by itself. */
class Server implements KeptServer {
  readonly #end = Promise.withResolvers<void>();
  readonly ended = this.#end.promise;
  isRunning = true;

  end(): void {
    this.isRunning = false;
    this.#end.resolve();
  }

  async stop(): Promise<void> {
    this.end();
    await this.ended;
  }
}

test("a server that ends again, and again before it is ready, is started once at a time", async () => {
  const first = new Server();
  const servers: Server[] = [first];
  let starting = 0;
  const stop = keepRunning("It", first, async () => {
    starting += 1;
    expect(starting).toBe(1);
    const server = new Server();
    servers.push(server);
    await Promise.resolve();
    starting -= 1;
    if (servers.length === 2) server.end();
    if (servers.length === 3) {
      server.end();
      throw new Error("It has ended while it was started.");
    }
    return server;
  });
  first.end();
  await expect.poll(() => servers.length, { timeout: 10_000 }).toBe(4);
  await expect.poll(() => servers.map(({ isRunning }) => isRunning)).toEqual([false, false, false, true]);
  await stop();
  expect(servers.at(-1)?.isRunning).toBe(false);
});

test("a server whose start is under way at the stop is stopped", async () => {
  const first = new Server();
  const started = Promise.withResolvers<Server>();
  let isStarting = false;
  const stop = keepRunning("It", first, async () => {
    isStarting = true;
    return await started.promise;
  });
  first.end();
  await expect.poll(() => isStarting, { timeout: 10_000 }).toBe(true);
  const stopped = stop();
  const second = new Server();
  started.resolve(second);
  await stopped;
  expect(second.isRunning).toBe(false);
});

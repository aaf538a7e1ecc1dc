import { expect, onTestFinished, test, vi } from "vitest";
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

test("a server that cannot be started is tried again, and the reason is printed once", async () => {
  const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  const first = new Server();
  let starts = 0;
  const stop = keepRunning("It", first, async () => {
    starts += 1;
    if (starts < 3) throw new Error("The disk is full.");
    return await Promise.resolve(new Server());
  });
  first.end();
  await expect.poll(() => starts, { timeout: 10_000 }).toBe(3);
  await stop();
  expect(printed.mock.calls.map(([text]) => text as string)).toEqual([
    expect.stringContaining("It has ended unexpectedly; it is started again."),
    expect.stringContaining(
      "It has ended and cannot be started, which is tried again until it succeeds: The disk is full.",
    ),
  ]);
});

import { lapse } from "@gatehouse/async/testing";
import { GatewayError } from "@gatehouse/errors";
import { Metadata } from "nice-grpc";
import { afterEach, describe, expect, test } from "vitest";
import { connectLocally, type RpcServer } from "../src/index.ts";
import { type Handlers, open, type PrincipalClient, scripted, serve, untilAborted } from "./scripted-service.ts";

interface Transport {
  readonly name: string;
  readonly connect: (handlers: Partial<Handlers>) => Promise<PrincipalClient>;
}

const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function connectOverGrpc(handlers: Partial<Handlers>): Promise<PrincipalClient> {
  const server: RpcServer = await serve(scripted(handlers));
  stops.push(async () => await server.stop(0));
  const { channel, client } = open(server.port);
  stops.push(() => channel.close());
  return client;
}

/** A stream that sends one item and waits for its abort; resolves with its signal. */
function oneItemStream() {
  const seen = Promise.withResolvers<AbortSignal>();
  const handlers: Partial<Handlers> = {
    async *watchPrincipals(_request, { signal }) {
      seen.resolve(signal);
      yield {};
      await untilAborted(signal);
    },
  };
  return { handlers, signal: seen.promise };
}

const transports: readonly Transport[] = [
  { name: "in process", connect: async (handlers) => connectLocally(scripted(handlers)) },
  { name: "over gRPC", connect: connectOverGrpc },
];

/** All transports behave alike, so that code which works in one process works in several. */
describe.each(transports)("a service reached $name", ({ connect }) => {
  test("answers a call, with defaults for omitted fields of both sides", async () => {
    const requests: unknown[] = [];
    const client = await connect({
      resolveAdminKey: async (request) => {
        requests.push(request);
        return { adminKey: { id: 7 } };
      },
    });
    expect(await client.resolveAdminKey({ ipAddress: "::1" })).toEqual({ adminKey: { id: 7, name: "" } });
    expect(requests).toEqual([{ keyHash: Buffer.alloc(0), ipAddress: "::1" }]);
  });

  test("answers a call with an empty reply", async () => {
    const client = await connect({ resolveToken: async () => ({}) });
    expect(await client.resolveToken({})).toEqual({ principal: undefined });
  });

  test("gives the caller a copy of the service's values", async () => {
    const adminKey = { id: 1, name: "first" };
    const client = await connect({ resolveAdminKey: async () => ({ adminKey }) });
    const { adminKey: received } = await client.resolveAdminKey({});
    expect(received).toEqual(adminKey);
    expect(received).not.toBe(adminKey);
  });

  test("passes metadata to the service", async () => {
    const client = await connect({
      resolveAdminKey: async (_request, { metadata }) => ({ adminKey: { name: metadata.get("x-test") ?? "" } }),
    });
    const { adminKey } = await client.resolveAdminKey({}, { metadata: Metadata({ "x-test": "a" }) });
    expect(adminKey?.name).toBe("a");
  });

  test("streams, with defaults filled in, and ends", async () => {
    const client = await connect({
      async *watchPrincipals() {
        yield {};
        yield { subject: { $case: "tokenId", value: 3 } };
      },
    });
    expect(await collect(client.watchPrincipals({}))).toEqual([
      { subject: undefined },
      { subject: { $case: "tokenId", value: 3 } },
    ]);
  });

  test("streams no faster than its reader, within a bound", async () => {
    let produced = 0;
    const client = await connect({
      async *watchPrincipals() {
        for (; produced < 100_000; produced++) yield { subject: { $case: "projectUuid", value: "x".repeat(1_000) } };
      },
    });
    const items = client.watchPrincipals({})[Symbol.asyncIterator]();
    await items.next();
    await lapse(100, "a producer without a bound would have made them all");
    expect(produced).toBeLessThan(20_000);
    await items.return?.();
  });

  test("fails with the service's own error: code, message, details and delay", async () => {
    const client = await connect({
      resolveToken: async () => {
        throw new GatewayError("rate_limited", "Grüße, zu schnell.", {
          details: { scope: "minute" },
          retryAfterSeconds: 7,
          cause: new Error("hunter2"),
        });
      },
    });
    await expect(client.resolveToken({})).rejects.toMatchObject({
      name: "GatewayError",
      code: "rate_limited",
      message: "Grüße, zu schnell.",
      details: { scope: "minute" },
      retryAfterSeconds: 7,
    });
  });

  test("fails with the service's own error in mid-stream, after the earlier messages", async () => {
    const client = await connect({
      async *watchPrincipals() {
        yield {};
        throw new GatewayError("budget_exhausted", "Spent.");
      },
    });
    const items = client.watchPrincipals({})[Symbol.asyncIterator]();
    expect(await items.next()).toMatchObject({ done: false });
    await expect(items.next()).rejects.toMatchObject({ code: "budget_exhausted", message: "Spent." });
  });

  test("hides a defect of the service in a call and in a stream", async () => {
    const client = await connect({
      resolveToken: async () => {
        throw new TypeError("hunter2");
      },
      async *watchPrincipals() {
        yield {};
        throw new TypeError("hunter2");
      },
    });
    const opaque = { code: "internal", message: "Unexpected error." };
    await expect(client.resolveToken({})).rejects.toMatchObject(opaque);
    await expect(collect(client.watchPrincipals({}))).rejects.toMatchObject(opaque);
  });

  test("ends a call that its caller aborts, for both sides", async () => {
    const seen = Promise.withResolvers<AbortSignal>();
    const client = await connect({
      resolveToken: async (_request, { signal }) => {
        seen.resolve(signal);
        return await untilAborted(signal);
      },
    });
    const abort = new AbortController();
    const call = client.resolveToken({}, { signal: abort.signal });
    const failed = expect(call).rejects.toMatchObject({ code: "cancelled" });
    const signal = await seen.promise;
    abort.abort();
    await failed;
    await aborted(signal);
  });

  test("ends an aborted call at once, even if the service does not heed its signal", async () => {
    const begun = Promise.withResolvers<void>();
    const client = await connect({
      resolveToken: async () => {
        begun.resolve();
        return await new Promise<never>(() => {});
      },
    });
    const abort = new AbortController();
    const failed = expect(client.resolveToken({}, { signal: abort.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    await begun.promise;
    abort.abort();
    await failed;
  });

  test("does not start a call that is already aborted", async () => {
    let calls = 0;
    const client = await connect({
      resolveToken: async () => ({ ...(calls++ && {}) }),
      async *watchPrincipals() {
        calls++;
        yield {};
      },
    });
    const signal = AbortSignal.abort();
    await expect(client.resolveToken({}, { signal })).rejects.toMatchObject({ code: "cancelled" });
    await expect(collect(client.watchPrincipals({}, { signal }))).rejects.toMatchObject({ code: "cancelled" });
    // Sent the same way as the earlier calls, which would have arrived first.
    await client.resolveToken({});
    expect(calls).toBe(1);
  });

  test("ends a stream that its reader aborts with an error, never as if it were complete", async () => {
    const { handlers, signal } = oneItemStream();
    const client = await connect(handlers);
    const abort = new AbortController();
    const items = client.watchPrincipals({}, { signal: abort.signal })[Symbol.asyncIterator]();
    await items.next();
    const failed = expect(items.next()).rejects.toMatchObject({ code: "cancelled" });
    abort.abort();
    await failed;
    await aborted(await signal);
  });

  test("ends a stream that was aborted between two messages, even if the service does not heed its signal", async () => {
    const client = await connect({
      async *watchPrincipals() {
        yield {};
        await new Promise<never>(() => {});
      },
    });
    const abort = new AbortController();
    const items = client.watchPrincipals({}, { signal: abort.signal })[Symbol.asyncIterator]();
    await items.next();
    abort.abort();
    await expect(items.next()).rejects.toMatchObject({ code: "cancelled" });
  });

  test("notifies the service when its reader stops reading", async () => {
    const { handlers, signal } = oneItemStream();
    const client = await connect(handlers);
    for await (const _item of client.watchPrincipals({})) break;
    await aborted(await signal);
  });

  test.each([
    ["a duration", () => 60],
    ["a time of day", () => new Date(Date.now() + 60)],
    ["a time that has passed", () => new Date(Date.now() - 1_000)],
  ])("ends a call that is late by its deadline, given as %s", async (_name, deadline) => {
    const client = await connect({ resolveToken: async (_request, { signal }) => await untilAborted(signal) });
    const start = performance.now();
    await expect(client.resolveToken({}, { deadline: deadline() })).rejects.toMatchObject({
      code: "deadline_exceeded",
    });
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  test("notifies the service when its deadline has passed", async () => {
    const seen = Promise.withResolvers<AbortSignal>();
    const client = await connect({
      resolveToken: async (_request, { signal }) => {
        seen.resolve(signal);
        return await untilAborted(signal);
      },
    });
    await expect(client.resolveToken({}, { deadline: 500 })).rejects.toMatchObject({ code: "deadline_exceeded" });
    await aborted(await seen.promise);
  });

  test("ends a stream that has a deadline", async () => {
    const client = await connect({
      async *watchPrincipals(_request, { signal }) {
        yield {};
        await untilAborted(signal);
      },
    });
    await expect(collect(client.watchPrincipals({}, { deadline: 80 }))).rejects.toMatchObject({
      code: "deadline_exceeded",
    });
  });

  test("leaves no listener on a caller's signal after its calls", async () => {
    const client = await connect({
      resolveToken: async () => ({}),
      async *watchPrincipals() {
        yield {};
      },
    });
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get(target, name) {
        if (name === "addEventListener") listeners++;
        if (name === "removeEventListener") listeners--;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    for (let round = 0; round < 3; round++) {
      await client.resolveToken({}, { signal: counted, deadline: 1_000 });
      await collect(client.watchPrincipals({}, { signal: counted }));
    }
    expect(listeners).toBe(0);
  });

  test("answers many calls at once, each with its own answer", async () => {
    const names = Array.from({ length: 200 }, (_, index) => String(index));
    const waiting: (() => void)[] = [];
    const client = await connect({
      async resolveAdminKey({ ipAddress }) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          // The last call is answered first.
          if (waiting.length === names.length) waiting.toReversed().forEach((answer) => answer());
        });
        return { adminKey: { name: ipAddress } };
      },
    });
    const answers = await Promise.all(names.map(async (ipAddress) => await client.resolveAdminKey({ ipAddress })));
    expect(answers.map(({ adminKey }) => adminKey?.name)).toEqual(names);
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function aborted(signal: AbortSignal): Promise<void> {
  return signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

import { clientGone, endOfAbort, GatewayError, toAbortReason } from "@gatehouse/errors";
import { startTestProxy } from "@gatehouse/ports/testing";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { createServer } from "nice-grpc";
import { afterEach, describe, expect, test, vi } from "vitest";
import { hotStreamBounds } from "../src/hot/bounds.ts";
import { type Handlers, open, scripted, serve, untilAborted } from "./scripted-service.ts";

/** `ResolveToken` is marked as hot in its contract, and `ResolveAdminKey` is not. */

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(handlers: Partial<Handlers>, port = 0) {
  const server = await serve(scripted(handlers), { port });
  stops.push(async () => await server.stop(0));
  return server;
}

function client(port: number) {
  const { channel, client: opened } = open(port);
  stops.push(() => channel.close());
  return opened;
}

const tokenHash = (text: string) => ({ tokenHash: Buffer.from(text) });
const principalOf = (id: number) => ({ principal: { tokenId: id } });
const isReady = async () => await Promise.resolve(principalOf(1));

/** Blocks calls until the test opens it. */
function gate() {
  const { promise: opened, resolve: openGate } = Promise.withResolvers<void>();
  return { opened, openGate };
}

test("calls start in order and may end in any order", async () => {
  const begun: string[] = [];
  const { opened, openGate } = gate();
  const { port } = await start({
    resolveToken: async ({ tokenHash: hash }) => {
      begun.push(hash.toString());
      if (hash.toString() === "0") await opened;
      return principalOf(Number(hash.toString()) + 1);
    },
  });
  const caller = client(port);
  const ended: string[] = [];
  const names = Array.from({ length: 500 }, (_, at) => String(at));
  const calls = names.map(async (name) => {
    const { principal } = await caller.resolveToken(tokenHash(name));
    expect(principal?.tokenId).toBe(Number(name) + 1);
    ended.push(name);
  });
  await vi.waitFor(() => expect(ended).toHaveLength(499));
  openGate();
  await Promise.all(calls);
  expect(begun).toEqual(names);
  expect(ended.at(-1)).toBe("0");
});

test("the metadata of a call reaches the service for that call alone", async () => {
  const seen: (string | undefined)[] = [];
  const { port } = await start({
    resolveToken: async (_request, { metadata }) => {
      seen.push(metadata.get("traceparent"));
      return await isReady();
    },
  });
  const caller = client(port);
  const { Metadata } = await import("nice-grpc");
  await Promise.all([
    caller.resolveToken({}, { metadata: Metadata({ traceparent: "00-aa-bb-01" }) }),
    caller.resolveToken({}),
  ]);
  expect(seen).toEqual(["00-aa-bb-01", undefined]);
});

describe("a call that its caller aborts", () => {
  test("is aborted in the service, by the caller's signal and at its deadline", async () => {
    const begun: string[] = [];
    const aborted: string[] = [];
    const { port } = await start({
      resolveToken: async ({ tokenHash: hash }, { signal }) => {
        begun.push(hash.toString());
        signal.addEventListener("abort", () => aborted.push(hash.toString()));
        return await untilAborted(signal);
      },
    });
    const caller = client(port);
    const controller = new AbortController();
    const byCaller = caller.resolveToken(tokenHash("caller"), { signal: controller.signal });
    const byTime = caller.resolveToken(tokenHash("time"), { deadline: 300 });
    await vi.waitFor(() => expect(begun).toContain("caller"));
    controller.abort();
    await expect(byCaller).rejects.toMatchObject({ code: "cancelled" });
    await vi.waitFor(() => expect(aborted).toEqual(["caller"]));
    await expect(byTime).rejects.toMatchObject({ code: "deadline_exceeded" });
    await vi.waitFor(() => expect(aborted).toEqual(["caller", "time"]));
  });

  test.each([
    [
      "with an error that was sent instead of the reply",
      toAbortReason(new GatewayError("invalid_token", "Invalid or revoked token.")),
      { code: "invalid_token", message: "Invalid or revoked token." },
    ],
    ["because its client has left", toAbortReason(clientGone()), undefined],
    ["for another reason", new Error("over"), undefined],
  ])("%s is aborted in the service with that error, if any", async (_, reason, expected) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
    const { port } = await start({
      resolveToken: async (_request, { signal }) => {
        begin(signal);
        return await untilAborted(signal);
      },
    });
    const controller = new AbortController();
    const called = client(port).resolveToken({}, { signal: controller.signal });
    const signal = await begun;
    controller.abort(reason);
    await expect(called).rejects.toThrow();
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    const end = endOfAbort(signal);
    if (expected === undefined) expect(end).toBeUndefined();
    else expect(end).toMatchObject(expected);
  });

  test("or that the end of its service's process aborts has no client that left", async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
    const server = await start({
      resolveToken: async (_request, { signal }) => {
        begin(signal);
        return await untilAborted(signal);
      },
    });
    const called = expect(client(server.port).resolveToken({}, { deadline: 5_000 })).rejects.toThrow();
    const signal = await begun;
    await server.stop(0);
    await vi.waitFor(() => expect(endOfAbort(signal)).toMatchObject({ code: "unavailable" }));
    await called;
  });

  test("does not end the others, nor the stream", async () => {
    const { opened, openGate } = gate();
    const { port } = await start({
      resolveToken: async () => {
        await opened;
        return await isReady();
      },
    });
    const caller = client(port);
    const kept = caller.resolveToken({});
    await expect(caller.resolveToken({}, { deadline: 100 })).rejects.toMatchObject({ code: "deadline_exceeded" });
    openGate();
    expect(await kept).toMatchObject(principalOf(1));
  });
});

describe("a peer that is", () => {
  test("killed ends its calls in flight at once, and a repeatable one is repeated once", async () => {
    let asked = 0;
    const { port } = await start({
      resolveToken: async (_request, { signal }) => ((asked += 1) === 1 ? await untilAborted(signal) : await isReady()),
    });
    const proxy = await startTestProxy(port);
    stops.push(async () => await proxy.close());
    const caller = client(proxy.port);
    const call = caller.resolveToken({});
    await vi.waitFor(() => expect(asked).toBe(1));
    proxy.cut();
    expect(await call).toMatchObject(principalOf(1));
    expect(asked).toBe(2);
  });

  test("killed over and over is unavailable", async () => {
    const { port } = await start({ resolveToken: async (_request, { signal }) => await untilAborted(signal) });
    const proxy = await startTestProxy(port);
    stops.push(async () => await proxy.close());
    const caller = client(proxy.port);
    const call = caller.resolveToken({}).catch((err: unknown) => err);
    const cutting = setInterval(() => proxy.cut(), 100);
    stops.push(() => clearInterval(cutting));
    expect(await call).toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
  });

  test("frozen delays its first calls until their deadline, and later ones not at all", async () => {
    const { port } = await start({ resolveToken: isReady });
    const proxy = await startTestProxy(port);
    stops.push(async () => await proxy.close());
    const caller = client(proxy.port);
    await caller.resolveToken({});
    proxy.freeze();
    const late = Array.from({ length: 10 }, async () => await caller.resolveToken({}, { deadline: 200 }));
    for (const outcome of await Promise.allSettled(late))
      expect(outcome).toMatchObject({ reason: { code: "deadline_exceeded" } });
    const beganMs = performance.now();
    const refused = Array.from({ length: 50 }, async () => await caller.resolveToken({}, { deadline: 2_000 }));
    const outcomes = await Promise.allSettled(refused);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
    expect(performance.now() - beganMs).toBeLessThan(1_000);
    proxy.thaw();
    await vi.waitFor(async () => expect(await caller.resolveToken({})).toMatchObject(principalOf(1)), 10_000);
  });

  test("frozen under many calls gets no more before the first is late, and all of them once it continues", async () => {
    const { port } = await start({ resolveToken: isReady });
    const proxy = await startTestProxy(port);
    stops.push(async () => await proxy.close());
    const caller = client(proxy.port);
    await caller.resolveToken({});
    proxy.freeze();
    const held = Array.from({ length: 100 }, async () => await caller.resolveToken({}, { deadline: 20_000 }));
    await vi.waitFor(async () => {
      const refused = caller.resolveToken({}, { deadline: 100 });
      await expect(refused).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
    }, 10_000);
    proxy.thaw();
    for (const { principal } of await Promise.all(held)) expect(principal?.tokenId).toBe(1);
    expect(await caller.resolveToken({})).toMatchObject(principalOf(1));
  }, 30_000);

  test("stopping answers calls in flight, and its caller reaches its successor", { repeats: 10 }, async () => {
    const { opened, openGate } = gate();
    let asked = 0;
    const first = await start({
      resolveToken: async () => {
        asked += 1;
        await opened;
        return principalOf(1);
      },
    });
    const caller = client(first.port);
    const held = Array.from({ length: 20 }, async () => await caller.resolveToken({}));
    await vi.waitFor(() => expect(asked).toBe(held.length));
    const stopped = first.stop(5_000);
    openGate();
    for (const { principal } of await Promise.all(held)) expect(principal?.tokenId).toBe(1);
    await stopped;
    const later = Array.from({ length: 20 }, async () => await caller.resolveToken({}));
    await start({ resolveToken: async () => principalOf(2) }, first.port);
    for (const { principal } of await Promise.all(later)) expect(principal?.tokenId).toBe(2);
  });

  test("of a version without the stream gets the same calls one by one", async () => {
    const server = createServer();
    let asked = 0;
    const { implementation } = scripted({
      resolveToken: async () => {
        asked += 1;
        return await isReady();
      },
    });
    server.add(PrincipalServiceDefinition, implementation);
    const port = await server.listen("127.0.0.1:0");
    stops.push(() => server.forceShutdown());
    const caller = client(port);
    const calls = Array.from({ length: 10 }, async () => await caller.resolveToken({}));
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject(principalOf(1));
    await caller.resolveToken({});
    expect(asked).toBe(11);
  });
});

test("calls in flight are limited to the bound, and the next is refused at once", async () => {
  const { opened, openGate } = gate();
  let asked = 0;
  const { port } = await start({
    resolveToken: async () => {
      asked += 1;
      await opened;
      return await isReady();
    },
  });
  const caller = client(port);
  const held = Array.from({ length: hotStreamBounds.inFlightMax }, async () => {
    return await caller.resolveToken({}, { deadline: 60_000 });
  });
  await vi.waitFor(() => expect(asked).toBe(hotStreamBounds.inFlightMax), 30_000);
  await expect(caller.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
  openGate();
  expect((await Promise.all(held)).every(({ principal }) => principal?.tokenId === 1)).toBe(true);
  expect(await caller.resolveToken({})).toMatchObject(principalOf(1));
}, 60_000);

describe("large messages", () => {
  const large = 6 * 1024 * 1024;

  test("pass both ways, beside small ones", async () => {
    const { port } = await start({
      resolveToken: async ({ tokenHash: hash }) => ({ principal: { tokenName: "x".repeat(hash.length) } }),
    });
    const caller = client(port);
    const sizes = [1, hotStreamBounds.requestBytesMax - 100, hotStreamBounds.requestBytesMax + 1, large, 7];
    const calls = sizes.map(async (size) => await caller.resolveToken({ tokenHash: Buffer.alloc(size) }));
    const replies = await Promise.all(calls);
    expect(replies.map(({ principal }) => principal?.tokenName.length)).toEqual(sizes);
  });

  test("above the bound fail alone", async () => {
    const { opened, openGate } = gate();
    const { port } = await start({
      resolveToken: async ({ tokenHash: hash }) => {
        if (hash.length === 0) await opened;
        return { principal: { tokenName: "x".repeat(hash.length === 1 ? 9 * 1024 * 1024 : 1) } };
      },
    });
    const caller = client(port);
    const beside = caller.resolveToken({});
    await expect(caller.resolveToken({ tokenHash: Buffer.alloc(1) })).rejects.toMatchObject({ code: "body_too_large" });
    await expect(caller.resolveToken({ tokenHash: Buffer.alloc(9 * 1024 * 1024) })).rejects.toMatchObject({
      code: "body_too_large",
    });
    openGate();
    expect((await beside).principal?.tokenName).toBe("x");
  });
});

test("many long errors of one turn are split into several messages", async () => {
  const { opened, openGate } = gate();
  let asked = 0;
  const { port } = await start({
    resolveToken: async () => {
      asked += 1;
      await opened;
      throw new GatewayError("rate_limited", "Too many.", { details: { scope: "x".repeat(6_000) } });
    },
  });
  const caller = client(port);
  const calls = Array.from({ length: 2_000 }, async () => await caller.resolveToken({}, { deadline: 20_000 }));
  const outcomes = Promise.allSettled(calls);
  await vi.waitFor(() => expect(asked).toBe(2_000), 10_000);
  openGate();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: "rate_limited" } });
}, 30_000);

test("errors keep their code, details and delay, and a defect stays opaque", async () => {
  const { port } = await start({
    resolveToken: async ({ tokenHash: hash }) => {
      if (hash.length === 0) throw new Error("hunter2");
      throw new GatewayError("rate_limited", "Too many.", { details: { scope: "minute" }, retryAfterSeconds: 7 });
    },
  });
  const caller = client(port);
  await expect(caller.resolveToken(tokenHash("x"))).rejects.toMatchObject({
    code: "rate_limited",
    message: "Too many.",
    details: { scope: "minute" },
    retryAfterSeconds: 7,
  });
  const defect: unknown = await caller.resolveToken({}).catch((err: unknown) => err);
  expect(defect).toMatchObject({ code: "internal" });
  expect(String(defect)).not.toContain("hunter2");
});

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { type ErrorCode, errorTable, GatewayError } from "@gatehouse/errors";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { type ServiceName, serviceNames } from "@gatehouse/trust";
import { createTestTrust } from "@gatehouse/trust/testing";
import { createChannel, createClient, Metadata, Status } from "nice-grpc";
import { afterEach, describe, expect, test } from "vitest";
import { createIdentitySigner } from "../src/service-identity.ts";
import { type Handlers, open, recordingLog, scripted, serve, trust, untilAborted } from "./scripted-service.ts";

const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function start(handlers: Partial<Handlers>, port = 0) {
  const { log, lines } = recordingLog();
  const server = await serve(scripted(handlers), { port, log });
  stops.push(async () => await server.stop(0));
  return { server, port: server.port, lines };
}

function openChannel(...args: Parameters<typeof open>) {
  const opened = open(...args);
  stops.push(() => opened.channel.close());
  return opened;
}

test.each(Object.keys(errorTable) as ErrorCode[])("%s keeps its code over the wire", async (code) => {
  const { port } = await start({
    resolveToken: async () => {
      throw new GatewayError(code, "What happened.");
    },
  });
  await expect(openChannel(port).client.resolveToken({})).rejects.toMatchObject({ code, message: "What happened." });
});

describe("an error with very long texts", () => {
  const text = "ü👋".repeat(100_000);

  test("keeps its code and what fits, and does not harm the connection or other calls on it", async () => {
    const { port } = await start({
      resolveToken: async () => {
        throw new GatewayError("input_schema_failed", text, {
          details: { detail: text, scope: "minute", count: 3 },
          retryAfterSeconds: 2,
        });
      },
      async *watchPrincipals(_request, { signal }) {
        yield {};
        await untilAborted(signal);
      },
    });
    const { client } = openChannel(port);
    const watch = client.watchPrincipals({})[Symbol.asyncIterator]();
    await watch.next();
    let watchEnded = false;
    const watching = watch.next().catch(() => (watchEnded = true));
    for (let round = 0; round < 5; round++) {
      const err: unknown = await client.resolveToken({}).catch((thrown: unknown) => thrown);
      expect(err).toMatchObject({
        code: "input_schema_failed",
        details: { scope: "minute", count: 3 },
        retryAfterSeconds: 2,
      });
      expect(err instanceof GatewayError && err.message.length).toBe(1_000);
      expect(err instanceof GatewayError && err.message.isWellFormed() && err.message.startsWith("ü👋ü👋")).toBe(true);
    }
    expect(watchEnded).toBe(false);
    void watching;
  });
});

test("an unexpected error is logged with its cause and hidden from the caller; an expected one is not logged", async () => {
  const { port, lines } = await start({
    resolveToken: async () => {
      throw new Error("outer", { cause: new TypeError("hunter2") });
    },
    resolveAdminKey: async () => {
      throw new GatewayError("not_found", "No such thing.");
    },
  });
  const { client } = openChannel(port);
  const err: unknown = await client.resolveToken({}).catch((thrown: unknown) => thrown);
  expect(JSON.stringify(err, Object.getOwnPropertyNames(err))).not.toContain("hunter2");
  await client.resolveAdminKey({}).catch(() => {});
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("hunter2");
  expect(lines[0]).toContain("/gatehouse.control_plane.v1.PrincipalService/ResolveToken");
});

describe("messages", () => {
  const size = 6 * 1024 * 1024;

  test("of several megabytes pass both ways", async () => {
    const { port } = await start({
      resolveAdminKey: async ({ keyHash }) => ({ adminKey: { name: "x".repeat(keyHash.length) } }),
    });
    const { adminKey } = await openChannel(port).client.resolveAdminKey({ keyHash: Buffer.alloc(size) });
    expect(adminKey?.name.length).toBe(size);
  });

  test.each(["request", "reply"])("above the bound are not retryable: the %s", async (which) => {
    const { port } = await start({
      resolveAdminKey: async () => ({ adminKey: { name: "x".repeat(which === "reply" ? 2 * size : 1) } }),
    });
    const { client } = openChannel(port);
    const keyHash = Buffer.alloc(which === "request" ? 2 * size : 1);
    await expect(client.resolveAdminKey({ keyHash })).rejects.toMatchObject({ code: "body_too_large" });
  });
});

describe("a caller's identity", () => {
  /** Calls with a metadata value chosen by the test. */
  async function callWith(identity: string | undefined, handlers: Partial<Handlers>) {
    const { port } = await start(handlers);
    const channel = createChannel(`127.0.0.1:${port}`);
    stops.push(() => channel.close());
    const metadata = Metadata(identity === undefined ? {} : { "x-gatehouse-service": identity });
    return await createClient(PrincipalServiceDefinition, channel).resolveToken({}, { metadata });
  }

  const rpcService = PrincipalServiceDefinition.fullName;
  const sign = (caller: ServiceName, target: ServiceName, now?: () => number) =>
    createIdentitySigner(trust.of(caller, now), target, now)(rpcService);
  const good = sign("router", "control-plane");
  const [keyId = "", payload = "", signature = ""] = good.split(".");

  test("is accepted if it is valid", async () => {
    expect(await callWith(good, { resolveToken: async () => ({}) })).toEqual({ principal: undefined });
  });

  test.each([
    ["that is missing", undefined],
    ["that is empty", ""],
    ["that is not an identity", "nonsense"],
    ["that has expired", sign("router", "control-plane", () => Date.now() - 60_001)],
    ["of an unknown signer", createIdentitySigner(createTestTrust().of("router"), "control-plane")(rpcService)],
    ["for another service", sign("router", "chat")],
    ["for another gRPC service", createIdentitySigner(trust.of("router"), "control-plane")("gatehouse.x.v1.X")],
    ["with another key's id", `${sign("chat", "control-plane").split(".")[0]}.${payload}.${signature}`],
    ["with another payload", `${keyId}.${payload}x.${signature}`],
    ["without a signature", `${keyId}.${payload}.`],
  ])("%s is refused before the service sees the call", async (_name, identity) => {
    let calls = 0;
    const handlers = { resolveToken: async () => ({ ...(calls++ && {}) }) };
    await expect(callWith(identity, handlers)).rejects.toMatchObject({ code: Status.UNAUTHENTICATED });
    expect(calls).toBe(0);
  });

  test.each(serviceNames.filter((name) => name !== "router"))(
    "of %s, which may not make this call, is refused before the service sees the call",
    async (name) => {
      let calls = 0;
      const handlers = { resolveToken: async () => ({ ...(calls++ && {}) }) };
      const refused = callWith(sign(name, "control-plane"), handlers);
      await expect(refused).rejects.toMatchObject({ code: Status.PERMISSION_DENIED });
      expect(calls).toBe(0);
      // The hot stream does not bypass the check.
      const { port } = await start(handlers);
      const { client } = openChannel(port, { trust: trust.of(name) });
      await expect(client.resolveToken({})).rejects.toMatchObject({ code: "internal" });
      expect(calls).toBe(0);
    },
  );

  test("of another installation is an internal error for the caller", async () => {
    const { port } = await start({ resolveToken: async () => ({}) });
    const { client } = openChannel(port, { trust: createTestTrust().of("router") });
    await expect(client.resolveToken({})).rejects.toMatchObject({ code: "internal" });
  });
});

describe("a service that is away", () => {
  test("is unavailable under a name that does not resolve", async () => {
    const { client } = openChannel(1, { address: "no-such-host.invalid:1" });
    await expect(client.resolveToken({})).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
  });

  test("is unavailable where nothing listens", async () => {
    const { port, server } = await start({});
    await server.stop(0);
    await expect(openChannel(port).client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
  });

  test("is reached again by the same client after it was restarted", async () => {
    const handlers: Partial<Handlers> = { resolveToken: async () => ({}) };
    const first = await start(handlers);
    const { client } = openChannel(first.port);
    await client.resolveToken({});
    await first.server.stop(0);
    await expect(client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
    await start(handlers, first.port);
    await expect
      .poll(async () => await client.resolveToken({}).catch(() => undefined), { timeout: 10_000 })
      .toEqual({
        principal: undefined,
      });
  });

  test("is unavailable if it is lost during a call or a stream", async () => {
    const begun = Promise.withResolvers<void>();
    const { port } = await start({
      async resolveToken(_request, { signal }) {
        begun.resolve();
        return await untilAborted(signal);
      },
      async *watchPrincipals(_request, { signal }) {
        yield {};
        await untilAborted(signal);
      },
    });
    const link = await startLink(port);
    const { client } = openChannel(link.port);
    const items = client.watchPrincipals({})[Symbol.asyncIterator]();
    await items.next();
    const failures = [items.next(), client.resolveToken({})].map(
      async (call) => await expect(call).rejects.toMatchObject({ code: "unavailable" }),
    );
    await begun.promise;
    link.cut();
    await Promise.all(failures);
  });

  test("has a time-out for each call without a deadline", async () => {
    const { port } = await start({ resolveToken: async (_request, { signal }) => await untilAborted(signal) });
    const { client } = openChannel(port, { timeoutMs: 80 });
    await expect(client.resolveToken({})).rejects.toMatchObject({ code: "deadline_exceeded" });
  });

  test("is unavailable within the time-out if it accepts connections and never answers", async () => {
    const sleeper = createServer();
    sleeper.listen(0, "127.0.0.1");
    await once(sleeper, "listening");
    stops.push(() => void sleeper.close());
    const { client } = openChannel((sleeper.address() as AddressInfo).port, { timeoutMs: 200 });
    await expect(client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("several processes of a service", () => {
  const addressOf = (...ports: number[]) => ports.map((port) => `127.0.0.1:${port}`).join(",");

  test("share its calls, and a stopping one gets no more", async () => {
    const taken = [0, 0];
    const servers = await Promise.all(
      [0, 1].map(async (at) => {
        const resolveToken = async () => await Promise.resolve({ ...((taken[at] = (taken[at] ?? 0) + 1) && {}) });
        return await start({ resolveToken });
      }),
    );
    const { client } = openChannel(1, { address: addressOf(...servers.map(({ port }) => port)) });
    await expect.poll(async () => (await client.resolveToken({}), Math.min(...taken))).toBeGreaterThan(0);
    servers[0]?.server.announceStop();
    const before = () => taken[0];
    await expect
      .poll(async () => {
        const earlier = before();
        for (let call = 0; call < 20; call += 1) await client.resolveToken({});
        return before() === earlier;
      })
      .toBe(true);
    await servers[0]?.server.stop(0);
    for (let call = 0; call < 20; call += 1) await client.resolveToken({});
  });

  test.each([
    ["is answered by another where it may be repeated", "resolveToken"],
    ["fails where it may not", "watchPrincipals"],
  ] as const)("a call whose process is lost %s", async (_name, method) => {
    const begun = Promise.withResolvers<number>();
    let calls = 0;
    const answer = async (at: number, signal: AbortSignal) => {
      calls += 1;
      if (calls > 1) return {};
      begun.resolve(at);
      return await untilAborted(signal);
    };
    const links = await Promise.all(
      [0, 1].map(async (at) => {
        const { port } = await start({
          resolveToken: async (_request, { signal }) => await answer(at, signal),
          async *watchPrincipals(_request, { signal }) {
            yield await answer(at, signal);
          },
        });
        return await startLink(port);
      }),
    );
    const { client } = openChannel(1, { address: addressOf(...links.map(({ port }) => port)) });
    const call =
      method === "resolveToken" ? client.resolveToken({}) : client.watchPrincipals({})[Symbol.asyncIterator]().next();
    const ended = call.then(
      () => "answered",
      (err: unknown) => (err instanceof GatewayError ? err.code : "another error"),
    );
    links[await begun.promise]?.cut();
    expect(await ended).toBe(method === "resolveToken" ? "answered" : "unavailable");
  });
});

describe("a call that its contract does not declare repeatable", () => {
  /** Two processes; the first one called is lost during the call. @returns the call's result, and the number of calls begun. */
  async function loseFirst(isRepeatable: boolean) {
    const begun = Promise.withResolvers<number>();
    let calls = 0;
    const links = await Promise.all(
      [0, 1].map(async (at) => {
        const { port } = await start({
          async openSession(_request, { signal }) {
            calls += 1;
            if (calls > 1) return {};
            begun.resolve(at);
            return await untilAborted(signal);
          },
        });
        return await startLink(port);
      }),
    );
    const { client } = openChannel(1, { address: links.map(({ port }) => `127.0.0.1:${port}`).join(",") });
    const ended = client.openSession({}, { isRepeatable }).then(
      () => "answered",
      (err: unknown) => (err instanceof GatewayError ? err.code : "another error"),
    );
    links[await begun.promise]?.cut();
    return { ended: await ended, calls };
  }

  test("fails with its process", async () => {
    expect(await loseFirst(false)).toEqual({ ended: "unavailable", calls: 1 });
  });

  test("is answered by another process if its caller allows it", async () => {
    expect(await loseFirst(true)).toEqual({ ended: "answered", calls: 2 });
  });
});

describe("stopping", () => {
  test("lets a call in flight finish and accepts no new one", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { server, port } = await start({
      resolveToken: async () => {
        begun.resolve();
        await release.promise;
        return {};
      },
    });
    const call = openChannel(port).client.resolveToken({});
    await begun.promise;
    const stopping = server.stop(10_000);
    await expect(openChannel(port).client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
    release.resolve();
    expect(await call).toEqual({ principal: undefined });
    await stopping;
  });

  test("ends unfinished calls within the bound, as unavailable", async () => {
    const begun = Promise.withResolvers<void>();
    const { server, port } = await start({
      resolveToken: async () => {
        begun.resolve();
        return await new Promise<never>(() => {});
      },
    });
    const failed = expect(openChannel(port).client.resolveToken({})).rejects.toMatchObject({ code: "unavailable" });
    await begun.promise;
    const startedAt = performance.now();
    await server.stop(100);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    await failed;
  });
});

/** A proxy to a port that can be cut like a cable. */
async function startLink(port: number) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) sockets.add(socket.on("error", () => {}));
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  stops.push(cut);
  return { port: (server.address() as AddressInfo).port, cut };
}

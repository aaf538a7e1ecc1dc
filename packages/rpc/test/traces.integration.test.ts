import { GatewayError } from "@gatehouse/errors";
import {
  createSilentTelemetry,
  currentTraceparent,
  inSpan,
  type SpanOptions,
  type Tracing,
} from "@gatehouse/telemetry";
import { ServerError, Status } from "nice-grpc";
import { afterEach, expect, test } from "vitest";
import { startRpcServer } from "../src/index.ts";
import { type Handlers, open, scripted, trust } from "./scripted-service.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

interface Recorded extends SpanOptions {
  readonly name: string;
  readonly spanId: string;
  readonly ends: unknown[];
  /** Attributes set after its start. */
  readonly later: Record<string, unknown>;
}

/** Tracing that numbers and keeps its spans. */
function recordTracing(isRecorded = true): { readonly tracing: Tracing; readonly spans: Recorded[] } {
  const spans: Recorded[] = [];
  return {
    spans,
    tracing: {
      start(name, options) {
        const spanId = String(spans.length + 1).padStart(16, "0");
        const ends: unknown[] = [];
        const later = {};
        spans.push({ name, ...options, spanId, ends, later });
        const traceparent = `00-${traceId}-${spanId}-${isRecorded ? "01" : "00"}`;
        return {
          traceId,
          traceparent,
          isRecorded,
          set: (given) => void Object.assign(later, given),
          end: (err) => void ends.push(err),
        };
      },
    },
  };
}

/** `ResolveToken` uses the hot stream, `ResolveAdminKey` is a unary call. */
async function start(handlers: Partial<Handlers> = {}) {
  const service = recordTracing();
  const parents: (string | undefined)[] = [];
  const note = async () => {
    parents.push(currentTraceparent());
    return await Promise.resolve({});
  };
  const server = await startRpcServer({
    bindings: [scripted({ resolveToken: note, resolveAdminKey: note, ...handlers })],
    trust: trust.of("control-plane"),
    log: createSilentTelemetry().log,
    tracing: service.tracing,
    address: "127.0.0.1:0",
  });
  stops.push(async () => await server.stop(0));
  const { channel, client } = open(server.port);
  const outgoing = recordTracing();
  const traced = open(server.port, { tracing: outgoing.tracing });
  stops.push(() => [channel, traced.channel].forEach((opened) => opened.close()));
  return { client, tracedClient: traced.client, clientSpans: outgoing.spans, parents, server, spans: service.spans };
}

test("a call in a span gives the service a child server span, on the hot stream and beside it", async () => {
  const { client, spans, parents } = await start();
  const caller = recordTracing().tracing.start("caller", { kind: "server" });
  await inSpan(caller, async () => {
    await client.resolveToken({});
    await client.resolveAdminKey({});
  });
  const service = "gatehouse.control_plane.v1.PrincipalService";
  expect(spans.map(({ name, kind, parent, ends }) => [name, kind, parent, ends])).toEqual([
    [`${service}/ResolveToken`, "server", caller.traceparent, [undefined]],
    [`${service}/ResolveAdminKey`, "server", caller.traceparent, [undefined]],
  ]);
  // Calls made by the service are children of its span.
  expect(parents).toEqual(spans.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
});

test("a call outside of a trace has no span", async () => {
  const { client, spans } = await start();
  await client.resolveToken({});
  await client.resolveAdminKey({});
  expect(spans).toEqual([]);
});

test("a failure of the service ends its span with the error, a refusal does not; both have their gRPC status", async () => {
  const { client, spans } = await start({
    resolveToken: async () => await Promise.reject(new GatewayError("not_found", "There is no such token.")),
  });
  const caller = recordTracing().tracing.start("caller", { kind: "server" });
  await inSpan(caller, async () => {
    await client.resolveAdminKey({});
    await expect(client.resolveToken({})).rejects.toThrow("There is no such token.");
    await expect(client.resolveSession({})).rejects.toThrow();
  });
  const [ok, notFound, internal] = [0, 5, 13];
  expect(spans.map(({ ends, later }) => [ends, later])).toEqual([
    [[undefined], { "rpc.grpc.status_code": ok }],
    [[undefined], { "rpc.grpc.status_code": notFound }],
    [[expect.objectContaining({ code: "internal" })], { "rpc.grpc.status_code": internal }],
  ]);
});

test("a call that its caller left is cancelled in its span, and a gRPC status of the service is kept", async () => {
  const { client, spans } = await start({
    resolveToken: async () => await Promise.reject(new DOMException("gone", "AbortError")),
    resolveAdminKey: async () => await Promise.reject(new ServerError(Status.PERMISSION_DENIED, "Not you.")),
  });
  const caller = recordTracing().tracing.start("caller", { kind: "server" });
  await inSpan(caller, async () => {
    await expect(client.resolveToken({})).rejects.toThrow();
    await expect(client.resolveAdminKey({})).rejects.toThrow();
  });
  expect(spans.map(({ later }) => later)).toEqual([
    { "rpc.grpc.status_code": Status.CANCELLED },
    { "rpc.grpc.status_code": Status.PERMISSION_DENIED },
  ]);
  expect(spans[0]?.ends).toEqual([undefined]);
});

test("a call in a recorded span has a client span with the process's address, the parent of the server's span", async () => {
  const { tracedClient, clientSpans, spans, server } = await start();
  const caller = recordTracing().tracing.start("caller", { kind: "server" });
  await inSpan(caller, async () => {
    await tracedClient.resolveToken({});
    await tracedClient.resolveAdminKey({});
  });
  const service = "gatehouse.control_plane.v1.PrincipalService";
  const later = { "server.address": "127.0.0.1", "server.port": server.port, "rpc.grpc.status_code": Status.OK };
  expect(clientSpans).toMatchObject(
    ["ResolveToken", "ResolveAdminKey"].map((method) => ({
      name: `${service}/${method}`,
      kind: "client",
      parent: caller.traceparent,
      attributes: { "rpc.system": "grpc", "rpc.service": service, "rpc.method": method },
      later,
      ends: [undefined],
    })),
  );
  expect(spans.map(({ parent }) => parent)).toEqual(clientSpans.map(({ spanId }) => `00-${traceId}-${spanId}-01`));
});

test("a client span ends with the received status, and with the error of a failure", async () => {
  const { tracedClient, clientSpans, server } = await start({
    resolveToken: async () => await Promise.reject(new GatewayError("not_found", "There is no such token.")),
    resolveAdminKey: async () => await Promise.reject(new ServerError(Status.PERMISSION_DENIED, "Not you.")),
  });
  const caller = recordTracing().tracing.start("caller", { kind: "server" });
  await inSpan(caller, async () => {
    await expect(tracedClient.resolveToken({})).rejects.toThrow();
    await expect(tracedClient.resolveAdminKey({})).rejects.toThrow();
    await server.stop(0);
    await expect(tracedClient.resolveToken({}, { deadline: new Date(Date.now() + 100) })).rejects.toThrow();
  });
  expect(clientSpans.map(({ later }) => later["rpc.grpc.status_code"])).toEqual([
    Status.NOT_FOUND,
    Status.PERMISSION_DENIED,
    expect.toSatisfy((status: Status) => [Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED].includes(status)),
  ]);
  expect(clientSpans[0]?.ends).toEqual([undefined]);
  expect(clientSpans[2]?.ends).toEqual([expect.any(GatewayError)]);
});

test("a call in an unrecorded span has no client span, and its trace continues", async () => {
  const { tracedClient, clientSpans, spans } = await start();
  const caller = recordTracing(false).tracing.start("caller", { kind: "server" });
  await inSpan(caller, async () => await tracedClient.resolveToken({}));
  expect(clientSpans).toEqual([]);
  expect(spans.map(({ parent }) => parent)).toEqual([caller.traceparent]);
});

import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { type CarryRequest, HotStreamServiceDefinition } from "@gatehouse/proto/hot-stream";
import {
  formatServiceKeys,
  formatTrust,
  makeKeyPair,
  type ServiceName,
  serviceNames,
  ServiceTrust,
} from "@gatehouse/trust";
import { createChannel, createClient, Metadata, Status } from "nice-grpc";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createIdentitySigner, identityMetadataKey } from "../src/service-identity.ts";
import { open, scripted, serve } from "./scripted-service.ts";

/** Each call on a hot stream is checked, since the stream may outlive the identity with which it was opened. */

const hotStream = HotStreamServiceDefinition.fullName;
const stops: (() => Promise<void> | void)[] = [];
let nowMs: number;
let asked: number;

beforeEach(() => {
  nowMs = Date.now();
  asked = 0;
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** Services that trust each other, on the test's clock; the router's key is valid until `routerUntilMs`. */
function world(routerUntilMs?: number) {
  const pairs = new Map(serviceNames.map((service) => [service, makeKeyPair(service, 0)]));
  const known = [...pairs.values()].map((pair) =>
    pair.known.service === "router" ? { ...pair.known, notAfter: routerUntilMs } : pair.known,
  );
  return (service: ServiceName) => {
    const own = pairs.get(service)?.own;
    const keys = formatServiceKeys({ service, keys: own === undefined ? [] : [own] });
    return new ServiceTrust({ text: keys }, { text: formatTrust(known) }, () => nowMs);
  };
}

async function start(trust: ServiceTrust): Promise<number> {
  const handlers = {
    resolveToken: async () => {
      asked += 1;
      return await Promise.resolve({ principal: { tokenId: asked } });
    },
  };
  const server = await serve(scripted(handlers), { trust });
  stops.push(async () => await server.stop(0));
  return server.port;
}

/** A hot stream whose messages and identities the test chooses. */
async function openStream(port: number, identity: string) {
  const channel = createChannel(`127.0.0.1:${port}`);
  stops.push(() => channel.close());
  const waiting: ((message: CarryRequest) => void)[] = [];
  async function* requests(): AsyncGenerator<CarryRequest> {
    while (true) yield await new Promise<CarryRequest>((resolve) => waiting.push(resolve));
  }
  const metadata = Metadata().set(identityMetadataKey, identity);
  const carried = createClient(HotStreamServiceDefinition, channel).carry(requests(), { metadata });
  const replies = carried[Symbol.asyncIterator]();
  let id = 0;
  /** @returns status of the reply; 0 for an answered call. */
  return async (identityNow = ""): Promise<number> => {
    id += 1;
    const request = Buffer.alloc(0);
    const call = { id, method: "/gatehouse.control_plane.v1.PrincipalService/ResolveToken", timeoutMs: 5_000, request };
    const reply = replies.next();
    await expect.poll(() => waiting).not.toHaveLength(0);
    waiting.shift()?.({ calls: [{ ...call, metadata: {} }], cancelledIds: [], identity: identityNow, ends: [] });
    const { value } = await reply;
    return value?.replies[0]?.failure?.status ?? Status.OK;
  };
}

test("a call is refused after the expiry of the stream's identity, until the caller sends its next one", async () => {
  const of = world();
  const sign = createIdentitySigner(of("router"), "control-plane");
  const call = await openStream(await start(of("control-plane")), sign(hotStream));
  expect(await call()).toBe(Status.OK);
  nowMs += 60_001;
  expect(await call()).toBe(Status.UNAUTHENTICATED);
  expect(await call(sign(hotStream))).toBe(Status.OK);
  expect(await call()).toBe(Status.OK);
  expect(asked).toBe(3);
});

test("a call is refused after the expiry of the key that signed the stream's identity", async () => {
  const of = world(nowMs + 1_000);
  const sign = createIdentitySigner(of("router"), "control-plane");
  const call = await openStream(await start(of("control-plane")), sign(hotStream));
  expect(await call()).toBe(Status.OK);
  nowMs += 1_000;
  expect(await call()).toBe(Status.UNAUTHENTICATED);
  expect(asked).toBe(1);
});

test("a call outside the caller's row of the table is refused on the stream", async () => {
  const of = world();
  const port = await start(of("control-plane"));
  for (const name of serviceNames.filter((each) => each !== "router")) {
    const call = await openStream(port, createIdentitySigner(of(name), "control-plane")(hotStream));
    expect(await call()).toBe(Status.PERMISSION_DENIED);
    // A permitted caller's identity, made for another gRPC service or audience, is refused too.
    const router = of("router");
    const rpcService = PrincipalServiceDefinition.fullName;
    for (const replayed of [
      createIdentitySigner(router, "control-plane")(rpcService),
      createIdentitySigner(router, "chat")(hotStream),
    ])
      expect(await call(replayed)).toBe(Status.UNAUTHENTICATED);
  }
  expect(asked).toBe(0);
});

test("a client's stream carries calls for hours by renewing its identity", async () => {
  const of = world();
  const port = await start(of("control-plane"));
  const { channel, client } = open(port, { trust: of("router") });
  stops.push(() => channel.close());
  for (let call = 1; call <= 20; call += 1) {
    expect(await client.resolveToken({})).toMatchObject({ principal: { tokenId: call } });
    nowMs += 7 * 60_000;
  }
});

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  type EarlierProcess,
  formatPeerAddress,
  type PeerAddress,
  peerBounds,
  type PeerConnection,
  PeerSet,
  type PeerSetOptions,
} from "../src/index.ts";

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0).toReversed()) stop();
});

/** A process that answers "serving" or "stopping" to each connection; silent while frozen. */
async function listen(port = 0) {
  const state = { says: "serving", isFrozen: false };
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    if (!state.isFrozen) socket.end(state.says);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const stop = () => void server.close();
  stops.push(stop);
  return { state, stop, port: (server.address() as AddressInfo).port };
}

/** Probes a process of `listen`. */
function openConnection({ host, port }: PeerAddress): PeerConnection {
  return {
    close: () => {},
    async probe(signal) {
      const socket = connect(port, host);
      // The signal may fire after the answer.
      socket.on("error", () => {});
      signal.addEventListener("abort", () => socket.destroy(new Error("late")));
      const [data] = (await once(socket, "data")) as [Buffer];
      return data.toString() === "stopping" ? "stopping" : "serving";
    },
  };
}

function open(addresses: readonly PeerAddress[], options: Partial<PeerSetOptions<PeerConnection>> = {}) {
  const peers = new PeerSet({ service: "test", addresses, open: openConnection, waitMs, ...options });
  stops.push(() => peers.close());
  return peers;
}

/** Long enough for a server of this process to return. */
const waitMs = 1_000;

const at = (port: number): PeerAddress => ({ host: "127.0.0.1", port });

/** Begins and ends `count` calls, and returns the number for each port. */
async function spread(peers: PeerSet<PeerConnection>, count: number): Promise<Record<number, number>> {
  const taken: Record<number, number> = {};
  for (let call = 0; call < count; call += 1) {
    const peer = await peers.acquire();
    peers.beginCall(peer);
    taken[peer.address.port] = (taken[peer.address.port] ?? 0) + 1;
    peers.endCall(peer, "answered");
  }
  return taken;
}

test("calls go to all peers that serve, and more of them to the one that is less busy", async () => {
  const [one, two] = [await listen(), await listen()];
  const peers = open([at(one.port), at(two.port)]);
  await expect.poll(() => peers.peers.filter(({ state }) => state === "serving").length).toBe(0);
  peers.start();
  await expect.poll(() => peers.peers.filter(({ state }) => state === "serving").length).toBe(2);
  const even = await spread(peers, 200);
  expect(Object.keys(even)).toHaveLength(2);
  const busy = peers.peers.find(({ address }) => address.port === one.port);
  if (busy !== undefined) for (let call = 0; call < 5; call += 1) peers.beginCall(busy);
  expect(await spread(peers, 50)).toEqual({ [two.port]: 50 });
});

test("a call waits for a process that restarts, and for none that has been away for long", async () => {
  const first = await listen();
  const peers = open([at(first.port)]);
  await peers.acquire();
  first.stop();
  const [peer] = peers.peers;
  if (peer !== undefined) peers.lose(peer);
  const waiting = peers.acquire();
  const again = await listen(first.port);
  expect((await waiting).address.port).toBe(first.port);
  again.stop();
  if (peer !== undefined) peers.lose(peer);
  await expect(peers.acquire()).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
  const askedAt = performance.now();
  await expect(peers.acquire()).rejects.toMatchObject({ code: "unavailable" });
  expect(performance.now() - askedAt).toBeLessThan(waitMs / 2);
});

test("waiting calls continue in groups, small ones first, and those above the bound are refused at once", async () => {
  const first = await listen();
  const peers = open([at(first.port)], { waitMs: 5_000 });
  const lost = await peers.acquire();
  first.stop();
  peers.lose(lost);
  const startedAtMs: number[] = [];
  const waiting = Array.from({ length: peerBounds.waitingMax }, async () => {
    await peers.acquire();
    startedAtMs.push(performance.now());
  });
  await expect(peers.acquire()).rejects.toMatchObject({ code: "unavailable" });
  await listen(first.port);
  await Promise.all(waiting);
  const groups = Math.floor(Math.log2(peerBounds.waitingMax / peerBounds.releasedFirst));
  const tookMs = (startedAtMs.at(-1) ?? 0) - (startedAtMs[0] ?? 0);
  expect(tookMs).toBeGreaterThan(groups * peerBounds.releaseIntervalMs * 0.9);
});

test("a call waits for a peer that may be frozen, and continues when one of its calls ends", async () => {
  const peers = open([at((await listen()).port)], { isShortBound: true });
  const peer = await peers.acquire();
  for (let call = 0; call < peerBounds.silentInFlightMax; call += 1) peers.beginCall(peer);
  peer.fallSilent();
  const waiting = peers.acquire();
  peers.endCall(peer, "answered");
  expect(await waiting).toBe(peer);
});

test("a stopping peer gets calls only if there is no other", async () => {
  const [one, two] = [await listen(), await listen()];
  const peers = open([at(one.port), at(two.port)]);
  peers.start();
  await expect.poll(() => peers.peers.filter(({ state }) => state === "serving").length).toBe(2);
  one.state.says = "stopping";
  await expect.poll(() => peers.peers.some(({ state }) => state === "stopping"), { timeout: 5_000 }).toBe(true);
  expect(await spread(peers, 50)).toEqual({ [two.port]: 50 });
  two.stop();
  for (const peer of peers.peers) if (peer.address.port === two.port) peers.lose(peer);
  expect(await spread(peers, 5)).toEqual({ [one.port]: 5 });
});

describe("a frozen peer", () => {
  test("delays a few calls, and then gets none until a trial succeeds", async () => {
    let nowMs = 0;
    const frozen = await listen();
    const peers = open([at(frozen.port)], { now: () => nowMs });
    const peer = await peers.acquire();
    for (let call = 0; call < peerBounds.lateInRowMax; call += 1) {
      peers.beginCall(await peers.acquire());
      peers.endCall(peer, "late");
    }
    await expect(peers.acquire()).rejects.toMatchObject({ code: "unavailable" });
    nowMs += peerBounds.restMs;
    peers.beginCall(await peers.acquire());
    await expect(peers.acquire()).rejects.toMatchObject({ code: "unavailable" });
    peers.endCall(peer, "answered");
    expect(await peers.acquire()).toBe(peer);
  });

  test("is detected by probes alone", async () => {
    const frozen = await listen();
    const peers = open([at(frozen.port)]);
    const peer = await peers.acquire();
    frozen.state.isFrozen = true;
    await expect.poll(() => peer.isResting, { timeout: 10_000 }).toBe(true);
    frozen.state.isFrozen = false;
    await expect.poll(() => peer.isResting, { timeout: 10_000 }).toBe(false);
  });
});

describe("a name", () => {
  test("stands for all its addresses beside literal ones, follows their changes, and keeps them while the resolver is away", async () => {
    let resolutions = 0;
    let answer: readonly string[] | undefined = ["127.0.0.1", "127.0.0.2"];
    const resolve = async () => {
      resolutions += 1;
      return answer === undefined ? await Promise.reject(new Error("away")) : await Promise.resolve(answer);
    };
    const options = { resolve, resolveIntervalMs: 1 };
    const peers = open([{ host: "chat", port: 1 }, at(2)], options);
    peers.start();
    const literal = "127.0.0.1:2";
    const present = () => peers.peers.map(({ address }) => formatPeerAddress(address)).toSorted();
    await expect.poll(present).toEqual(["127.0.0.1:1", literal, "127.0.0.2:1"]);
    const kept = peers.peers.find(({ address }) => address.host === "127.0.0.2");
    answer = ["127.0.0.2", "::1"];
    await expect.poll(present).toEqual([literal, "127.0.0.2:1", "[::1]:1"]);
    for (const none of [undefined, []]) {
      answer = none;
      const seen = resolutions;
      await expect.poll(() => resolutions).toBeGreaterThan(seen + 2);
      expect(present(), String(none)).toEqual([literal, "127.0.0.2:1", "[::1]:1"]);
    }
    expect(peers.peers).toContain(kept);
    answer = ["127.0.0.3"];
    await expect.poll(present).toEqual([literal, "127.0.0.3:1"]);
  });

  test("has no peers if it cannot be resolved", async () => {
    const resolve = async () => await Promise.reject(new Error("unknown"));
    const peers = open([{ host: "nowhere", port: 1 }], { resolve });
    await expect(peers.acquire(50)).rejects.toMatchObject({ code: "unavailable" });
  });
});

test("calls of a peer that leaves too many probes unanswered are ended, once", async () => {
  const server = await listen();
  let abandoned = 0;
  const connection = { ...openConnection(at(server.port)), abandon: () => void (abandoned += 1) };
  const peers = open([at(server.port)], { open: () => connection, lateProbesMax: 2 });
  await peers.acquire();
  server.state.isFrozen = true;
  await expect.poll(() => abandoned, { timeout: 8_000 }).toBe(1);
  server.state.isFrozen = false;
  await expect.poll(() => peers.choose()?.isResting, { timeout: 8_000 }).toBe(false);
  expect(abandoned).toBe(1);
});

test("a probe without an answer or an error counts as late", async () => {
  let abandoned = 0;
  const mute = { probe: () => new Promise<never>(() => {}), abandon: () => void (abandoned += 1), close: () => {} };
  open([at(1)], { open: () => mute, lateProbesMax: 2 }).start();
  await expect.poll(() => abandoned, { timeout: 8_000 }).toBe(1);
});

describe("an earlier process of a peer's address", () => {
  /** A successor listens at the address, or nothing does. */
  async function turn(ask: EarlierProcess["ask"], hasSuccessor: boolean) {
    const server = await listen();
    const earlier: EarlierProcess[] = [];
    let [abandoned, asked] = [0, 0];
    const connection: PeerConnection = {
      ...openConnection(at(server.port)),
      earlier: () => earlier,
      abandon: () => void (abandoned += 1_000),
    };
    const peers = open([at(server.port)], { open: () => connection, lateProbesMax: 2 });
    const peer = await peers.acquire();
    if (!hasSuccessor) server.stop();
    await expect.poll(() => peer.state, { timeout: 5_000 }).toBe(hasSuccessor ? "serving" : "away");
    earlier.push({
      ask: async (signal) => {
        asked += 1;
        return await ask(signal);
      },
      abandon: () => void (abandoned += 1),
    });
    return { asked: () => asked, abandoned: () => abandoned, peer };
  }
  const askedOften = 6;
  /** Far longer than it takes to leave two queries unanswered. */
  const untilAbandonedMs = 8_000;

  describe.each([true, false])("(with a successor: %s)", (hasSuccessor) => {
    test("loses its calls if it answers nothing on its connections, and its successor keeps its own", async () => {
      const { abandoned, peer } = await turn(() => new Promise(() => {}), hasSuccessor);
      await expect.poll(abandoned, { timeout: untilAbandonedMs }).toBe(1);
      expect(peer.isResting).toBe(false);
    });

    test.each([true, false])("keeps its calls if it answers there (%s), or cannot be asked", async (answer) => {
      const { asked, abandoned } = await turn(async () => await Promise.resolve(answer), hasSuccessor);
      await expect.poll(asked, { timeout: untilAbandonedMs }).toBeGreaterThan(askedOften);
      expect(abandoned()).toBe(0);
    });
  });
});

test("a call with an unclear outcome leaves its peer resting", async () => {
  const peers = open([at((await listen()).port)]);
  const peer = await peers.acquire();
  for (let late = 0; late < peerBounds.lateInRowMax; late += 1) {
    peers.beginCall(peer);
    peers.endCall(peer, "late");
  }
  peers.beginCall(peer);
  peers.endCall(peer, "unknown");
  expect([peer.isResting, peer.inFlight]).toEqual([true, 0]);
});

test("a peer with a removed address is watched until its calls have ended", async () => {
  const server = await listen();
  const ends: string[] = [];
  const connect = (address: PeerAddress): PeerConnection =>
    address.host === "127.0.0.1"
      ? {
          ...openConnection(address),
          abandon: () => void ends.push("abandoned"),
          close: () => void ends.push("closed"),
        }
      : openConnection(address);
  const hosts = ["127.0.0.1"];
  const named = [{ host: "chat.test", port: server.port }];
  const peers = open(named, {
    open: connect,
    resolve: async () => await Promise.resolve([...hosts]),
    resolveIntervalMs: 10,
    lateProbesMax: 2,
  });
  const peer = await peers.acquire();
  peers.beginCall(peer);
  server.state.isFrozen = true;
  hosts[0] = "127.0.0.2";
  await expect.poll(() => peers.peers.map(({ address }) => address.host), { timeout: 10_000 }).toEqual(["127.0.0.2"]);
  await expect.poll(() => ends.includes("abandoned"), { timeout: 8_000 }).toBe(true);
  expect(ends).not.toContain("closed");
  peers.endCall(peer, "late");
  await expect.poll(() => ends.includes("closed"), { timeout: 8_000 }).toBe(true);
});

test("a call that is aborted while it waits ends at once", async () => {
  const peers = open([at(1)]);
  const abort = new AbortController();
  const waiting = peers.acquire(60_000, abort.signal);
  abort.abort(new Error("given up"));
  await expect(waiting).rejects.toThrow("given up");
});

test("after close there are no peers, and waiting callers are refused", async () => {
  const peers = open([at(1)]);
  const waiting = peers.acquire(60_000);
  peers.close();
  await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
});

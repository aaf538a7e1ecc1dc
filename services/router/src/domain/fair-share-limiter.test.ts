import type { Principal } from "@gatehouse/principal";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isRefused,
  type ShareBounds,
  FairShareLimiter,
  type OpenRequestShare,
  toShareBounds,
} from "./fair-share-limiter.ts";

const bounds: ShareBounds = {
  whole: { requestsInFlight: 10, bufferedBytes: 1_000, streams: 6 },
  project: { requestsInFlight: 5, bufferedBytes: 500, streams: 3 },
  token: { requestsInFlight: 3, bufferedBytes: 300, streams: 2 },
  addressRequestsInFlight: 4,
};

function caller(tokenId: number, uuid = "p1"): Principal {
  const limits = { perMinute: null, perHour: null };
  const project = { id: 1, uuid, name: "p", projectType: "ai_gateway", rateLimits: limits } as const;
  return { kind: "token", tokenId, tokenName: "t", environment: "live", scopes: [], rateLimits: limits, project };
}

function enter(shares: FairShareLimiter, address = "192.0.2.1"): OpenRequestShare {
  const share = shares.enter(address);
  if (isRefused(share)) throw new Error(`refused: ${JSON.stringify(share)}`);
  return share;
}

function take(shares: FairShareLimiter, principal: Principal, { bodyBytes = 0, isStream = false } = {}) {
  const share = enter(shares);
  return { share, refusal: share.identify(principal, { bodyBytes, isStream }) };
}

const nothing = { requestsInFlight: 0, bufferedBytes: 0, streams: 0 };

describe("accounts in memory", () => {
  const wide = { requestsInFlight: 10_000, bufferedBytes: 1_000, streams: 6 };

  it("are at most twice as many as were busy at once, however many callers come and go", () => {
    const shares = new FairShareLimiter({ whole: wide, project: wide, token: wide, addressRequestsInFlight: 10_000 });
    const busy = Array.from({ length: 700 }, (_, at) => shares.enter(`busy ${at}`));
    for (let at = 0; at < 50_000; at += 1) {
      const share = enter(shares, `passing ${at}`);
      if (at % 5 === 0) share.identify(caller(at, `p${at}`), { bodyBytes: 0, isStream: false });
      share.leave();
      expect(shares.accountCount).toBeLessThan(3 * 1_500);
    }
    expect(shares.holders).toBe(busy.length);
    expect(isRefused(shares.enter("busy 0"))).toBe(false);
    expect(shares.inUse.requestsInFlight).toBe(busy.length + 1);
  });
});

describe("shares", () => {
  it("of the whole follow from percentages, and let each caller send the largest body", () => {
    const whole = { requestsInFlight: 100, bufferedBytes: 1_000, streams: 2 };
    expect(toShareBounds(whole, { project: 25, token: 10, address: 1 }, 400)).toEqual({
      whole,
      project: { requestsInFlight: 25, bufferedBytes: 400, streams: 1 },
      token: { requestsInFlight: 10, bufferedBytes: 400, streams: 1 },
      addressRequestsInFlight: 1,
    });
  });

  it("refuse a token over its share, then its project, and do not affect another project", () => {
    const shares = new FairShareLimiter(bounds);
    for (let n = 0; n < 3; n++) expect(take(shares, caller(1)).refusal).toBeUndefined();
    const { share, refusal } = take(shares, caller(1));
    expect(refusal).toEqual({ holder: "token", bound: "requestsInFlight", limit: 3 });
    share.leave();
    for (let n = 0; n < 2; n++) expect(take(shares, caller(2)).refusal).toBeUndefined();
    const second = take(shares, caller(2));
    expect(second.refusal).toEqual({ holder: "project", bound: "requestsInFlight", limit: 5 });
    second.share.leave();
    expect(take(shares, caller(3, "p2")).refusal).toBeUndefined();
  });

  it("refuse every caller once the total is reached", () => {
    const shares = new FairShareLimiter(bounds);
    for (let n = 0; n < 10; n++) expect(take(shares, caller(n, `p${n}`)).refusal).toBeUndefined();
    expect(shares.enter("198.51.100.1")).toEqual({ holder: "whole", bound: "requestsInFlight", limit: 10 });
  });

  it("bound the requests of an address whose callers are not known, and no others", () => {
    const shares = new FairShareLimiter(bounds);
    const strangers = Array.from({ length: 4 }, () => enter(shares));
    expect(shares.enter("192.0.2.1")).toEqual({ holder: "address", bound: "requestsInFlight", limit: 4 });
    expect(isRefused(shares.enter("198.51.100.1"))).toBe(false);
    strangers[0]?.identify(caller(1), { bodyBytes: 0, isStream: false });
    expect(isRefused(shares.enter("192.0.2.1"))).toBe(false);
  });

  it("count announced bodies, those that come unannounced, and unread replies", () => {
    const shares = new FairShareLimiter(bounds);
    const { share } = take(shares, caller(1), { bodyBytes: 100 });
    expect(share.receive(150)).toBeUndefined();
    share.setUnsent(50);
    expect(share.overdrawn()).toBeUndefined();
    expect(take(shares, caller(1), { bodyBytes: 1 }).refusal).toEqual({
      holder: "token",
      bound: "bufferedBytes",
      limit: 300,
    });
    expect(share.receive(1)).toEqual({ holder: "token", bound: "bufferedBytes", limit: 300 });
    share.setUnsent(0);
    expect(share.overdrawn()).toBeUndefined();
    share.leave();
    expect(shares.inUse.bufferedBytes).toBe(0);
  });

  it("count streams once their replies show them, and refuse further requests of a caller with too many", () => {
    const shares = new FairShareLimiter(bounds);
    take(shares, caller(1), { isStream: true });
    const { share } = take(shares, caller(1));
    share.markStream();
    share.markStream();
    expect(shares.inUse.streams).toBe(2);
    expect(take(shares, caller(1)).refusal).toEqual({ holder: "token", bound: "streams", limit: 2 });
  });

  it("refuse WebSockets, but no ordinary request, where the bound of all streams is reached", () => {
    const shares = new FairShareLimiter({ ...bounds, whole: { ...bounds.whole, streams: 2 } });
    for (const id of [1, 2]) take(shares, caller(id, `p${id}`), { isStream: true });
    const isStream = true;
    expect(take(shares, caller(3, "p3"), { isStream }).refusal).toMatchObject({ holder: "whole", bound: "streams" });
    expect(take(shares, caller(3, "p3")).refusal).toBeUndefined();
  });

  it("are all given back, in any order of requests", () => {
    const step = fc.record({
      act: fc.constantFrom("enter", "identify", "receive", "unsent", "stream", "leave"),
      which: fc.nat(20),
      token: fc.nat(4),
      bytes: fc.nat(200),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const shares = new FairShareLimiter(bounds);
        const held: OpenRequestShare[] = [];
        const left: OpenRequestShare[] = [];
        const identified = new Set<OpenRequestShare>();
        for (const { act, which, token, bytes } of steps) {
          const share = held[which % Math.max(1, held.length)];
          if (act === "enter") {
            const entered = shares.enter(`a${token}`);
            if (!isRefused(entered)) held.push(entered);
          } else if (share === undefined) continue;
          else if (act === "identify" && !identified.has(share)) {
            identified.add(share);
            share.identify(caller(token, `p${token % 2}`), { bodyBytes: bytes, isStream: bytes > 150 });
          } else if (act === "receive") share.receive(bytes);
          else if (act === "unsent") share.setUnsent(bytes);
          else if (act === "stream") share.markStream();
          else if (act === "leave") held.splice(held.indexOf(share), 1)[0]?.leave();
          if (act === "leave" && share !== undefined) left.push(share);
          // Bytes of a body whose request was answered before.
          const gone = left[which % Math.max(1, left.length)];
          if (act === "receive") gone?.receive(bytes);
          else if (act === "unsent") gone?.setUnsent(bytes);
          expect(shares.inUse.requestsInFlight).toBe(held.length);
          expect(shares.inUse.requestsInFlight).toBeLessThanOrEqual(bounds.whole.requestsInFlight);
        }
        for (const share of held) share.leave();
        expect(shares.inUse).toMatchObject(nothing);
        expect(shares.holders).toBe(0);
      }),
    );
  });
});

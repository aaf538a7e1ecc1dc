import type { Principal } from "@gatehouse/principal";
import { describe, expect, it } from "vitest";
import { BodyRateLimiter, toBodyRates } from "./body-rate-limiter.ts";

const mebibyte = 1024 * 1024;
const rates = toBodyRates({ bytesPerSecond: 8 * mebibyte, burstBytes: 32 * mebibyte }, 0.5, 4 * mebibyte);

function caller(tokenId: number, uuid = "p"): Principal {
  const limits = { perMinute: null, perHour: null };
  const project = { id: 1, uuid, name: "p", projectType: "ai_gateway", rateLimits: limits } as const;
  return { kind: "token", tokenId, tokenName: "t", environment: "live", scopes: [], rateLimits: limits, project };
}

/** Bytes of 1 MiB bodies admitted for callers that ask every 10 ms. */
function taken(limiter: BodyRateLimiter, callers: readonly Principal[], seconds: number): number {
  let bytes = 0;
  for (let nowMs = 0; nowMs <= seconds * 1_000; nowMs += 10) {
    for (const one of callers) if (limiter.take(one, mebibyte, nowMs) === undefined) bytes += mebibyte;
  }
  return bytes / mebibyte;
}

/** Equal up to one body. */
const near = (figure: number, expected: number) => expect(Math.abs(figure - expected)).toBeLessThanOrEqual(1);

describe("the rates of bodies", () => {
  it("admits a burst and then a rate, of which a token has a part", () => {
    near(taken(new BodyRateLimiter(rates), [caller(1)], 10), 16 + 4 * 10);
    near(taken(new BodyRateLimiter(rates), [caller(1), caller(2), caller(3)], 10), 32 + 8 * 10);
  });

  it("of one project does not affect another project, and admin keys have none", () => {
    const limiter = new BodyRateLimiter(rates);
    taken(limiter, [caller(1), caller(2)], 10);
    expect(limiter.take(caller(3, "other"), mebibyte, 10_000)).toBeUndefined();
    expect(limiter.take({ kind: "admin", adminKeyId: 1 } as Principal, 2 ** 40, 10_000)).toBeUndefined();
  });

  it("names its holder and the shortest wait of the body", () => {
    const limiter = new BodyRateLimiter(rates);
    for (let n = 0; n < 16; n++) limiter.take(caller(1), mebibyte, 0);
    expect(limiter.take(caller(1), mebibyte, 0)).toMatchObject({ holder: "token", waitMs: 250 });
    expect(limiter.take(caller(1), mebibyte, 250)).toBeUndefined();
    for (let n = 0; n < 16; n++) limiter.take(caller(2), mebibyte, 250);
    expect(limiter.take(caller(3), 2 * mebibyte, 250)).toMatchObject({ holder: "project", waitMs: 125 });
  });

  it("admits the largest body from each caller, and one larger than a burst after a full refill", () => {
    const small = toBodyRates({ bytesPerSecond: 1_024, burstBytes: 1_024 }, 0.1, 4 * mebibyte);
    expect(new BodyRateLimiter(small).take(caller(1), 4 * mebibyte, 0)).toBeUndefined();
    expect(new BodyRateLimiter(rates).take(caller(1), 1_000 * mebibyte, 0)).toBeUndefined();
  });
});

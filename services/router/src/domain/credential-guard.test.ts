import { describe, expect, it } from "vitest";
import { GuessDelays, guessBounds, LookupBudget } from "./credential-guard.ts";

const [here, elsewhere] = ["192.0.2.1", "198.51.100.1"];

function setUp() {
  const time = { ms: 1_000_000 };
  const now = () => time.ms;
  return { time, budget: new LookupBudget(60, now), delays: new GuessDelays(now) };
}

describe("look-ups of unknown tokens", () => {
  const miss = (budget: LookupBudget, address = here) => {
    const refusal = budget.begin(address);
    if (refusal === undefined) budget.end(address, "unknown");
    return refusal;
  };

  it("are bounded per address, and refill over time", () => {
    const { time, budget } = setUp();
    for (let n = 0; n < 60; n++) expect(miss(budget)).toBeUndefined();
    expect(miss(budget)).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 1 });
    expect(miss(budget, elsewhere)).toBeUndefined();
    time.ms += 1_000;
    expect(miss(budget)).toBeUndefined();
    expect(miss(budget)).toBeDefined();
    time.ms += 60_000;
    for (let n = 0; n < 60; n++) expect(miss(budget)).toBeUndefined();
    expect(budget.refused).toBe(2);
  });

  it("count while they are in progress, once one was unknown", () => {
    const { budget } = setUp();
    for (let n = 0; n < 200; n++) expect(budget.begin(here)).toBeUndefined();
    budget.end(here, "known");
    expect(budget.begin(here)).toBeUndefined();
    budget.end(here, "unknown");
    expect(budget.begin(here)).toBeDefined();
  });

  it("of known tokens, and those without an answer, cost nothing", () => {
    const { budget } = setUp();
    for (let n = 0; n < 500; n++) {
      expect(budget.begin(here)).toBeUndefined();
      budget.end(here, n % 2 === 0 ? "known" : "nothing");
    }
  });
});

describe("guesses of admin keys", () => {
  const guess = (delays: GuessDelays, address = here) => {
    const refusal = delays.begin(address);
    if (refusal === undefined) delays.end(address, "unknown");
    return refusal;
  };

  it("are slowed down more with each, up to a bound, and for their address alone", () => {
    const { time, delays } = setUp();
    for (let n = 0; n <= guessBounds.freeGuesses; n++) expect(guess(delays)).toBeUndefined();
    const waits: number[] = [];
    for (let n = 0; n < 12; n++) {
      const wait = guess(delays)?.retryAfterSeconds ?? 0;
      waits.push(wait);
      time.ms += wait * 1_000;
      expect(guess(delays)).toBeUndefined();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    expect(guess(delays)).toMatchObject({ code: "too_many_requests" });
    expect(guess(delays, elsewhere)).toBeUndefined();
    time.ms += guessBounds.forgottenAfterMs;
    for (let n = 0; n < guessBounds.freeGuesses; n++) expect(guess(delays)).toBeUndefined();
  });

  it("with the same key are one guess with a separate delay; another key is admitted", () => {
    const { delays } = setUp();
    const repeat = () => {
      const refusal = delays.begin(here, "old");
      if (refusal === undefined) delays.end(here, "remembered", "old");
      return refusal;
    };
    for (let n = 0; n <= guessBounds.freeGuesses; n++) expect(repeat()).toBeUndefined();
    expect(repeat()).toMatchObject({ code: "too_many_requests", retryAfterSeconds: 1 });
    for (let n = 1; n < guessBounds.freeGuesses; n++) {
      expect(delays.begin(here, `key ${n}`)).toBeUndefined();
      delays.end(here, "unknown", `key ${n}`);
    }
    expect(delays.begin(here, "right")).toBeUndefined();
    delays.end(here, "known", "right");
  });

  it("do not count without an answer, neither the first nor the next", () => {
    const { delays } = setUp();
    for (let n = 0; n < 100; n++) {
      expect(delays.begin(here, "key")).toBeUndefined();
      delays.end(here, "nothing", "key");
    }
    delays.begin(here, "key");
    delays.end(here, "unknown", "key");
    for (let n = 0; n < 100; n++) {
      expect(delays.begin(here, "key")).toBeUndefined();
      delays.end(here, "nothing", "key");
    }
  });

  it("are delayed although each key is sent twice", () => {
    const { delays } = setUp();
    let passed = 0;
    for (let n = 0; n < 1_000; n++) {
      if (delays.begin(here, `key ${n}`) !== undefined) continue;
      passed += 1;
      delays.end(here, "unknown", `key ${n}`);
      expect(delays.begin(here, `key ${n}`)).toBeUndefined();
      delays.end(here, "remembered", `key ${n}`);
    }
    expect(passed).toBe(guessBounds.freeGuesses + 1);
  });

  it("of many keys are slowed down, also where keys are sent again in turn", () => {
    const { delays } = setUp();
    const keys = Array.from({ length: 1_000 }, (_, n) => `key ${n % (guessBounds.triedKeysMax + 1)}`);
    const passed = keys.filter((key) => {
      const isLetThrough = delays.begin(here, key) === undefined;
      if (isLetThrough) delays.end(here, "unknown", key);
      return isLetThrough;
    });
    expect(new Set(passed).size).toBe(guessBounds.triedKeysMax + 1);
    expect(delays.begin(here, "another")).toMatchObject({ code: "too_many_requests" });
  });

  it("made in parallel gain nothing over sequential ones", () => {
    const { delays } = setUp();
    const let_ = Array.from({ length: 1_000 }, () => delays.begin(here)).filter((refusal) => refusal === undefined);
    expect(let_.length).toBe(guessBounds.freeGuesses + 1);
  });

  it("with one key at once are one guess, so that a restarted router delays no administrator", () => {
    const { delays } = setUp();
    for (const outcome of ["known", "nothing"] as const) {
      for (let n = 0; n < 100; n++) expect(delays.begin(here, "key")).toBeUndefined();
      for (let n = 0; n < 100; n++) delays.end(here, outcome, "key");
    }
    for (let n = 0; n < 100; n++) expect(delays.begin(here, "wrong")).toBeUndefined();
    for (let n = 0; n < 100; n++) delays.end(here, "unknown", "wrong");
    for (let n = 0; n < guessBounds.freeGuesses; n++) {
      expect(delays.begin(here, `other ${n}`)).toBeUndefined();
      delays.end(here, "unknown", `other ${n}`);
    }
    expect(delays.begin(here, "another")).toMatchObject({ code: "too_many_requests" });
  });

  it("do not count if they are right or have no answer", () => {
    const { delays } = setUp();
    for (let n = 0; n < 100; n++) {
      expect(delays.begin(here)).toBeUndefined();
      delays.end(here, n % 2 === 0 ? "known" : "nothing");
    }
  });
});

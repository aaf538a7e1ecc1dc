import { GatewayError } from "@gatehouse/errors";
import { describe, expect, it } from "vitest";
import type { Answer, PrincipalCacheBounds } from "../domain/principal-answer.ts";
import { PrincipalCache } from "./principal-cache.ts";

interface Who {
  readonly name: string;
}

const defaults: PrincipalCacheBounds = {
  freshMs: 5_000,
  staleMs: 60_000,
  entriesMax: 3,
  unknownMs: 1_000,
  unknownEntriesMax: 3,
  questionsInFlightMax: 4,
};

/** A cache whose questions are answered by the test, on a clock that the test advances. */
function setUp(bounds: Partial<PrincipalCacheBounds> = {}) {
  const time = { nowMs: 1_000 };
  const questions: {
    readonly hash: string;
    answer(given: Answer<Who> | GatewayError | undefined): void;
    fail(): void;
  }[] = [];
  const cache = new PrincipalCache<Who>(
    (hash) =>
      new Promise((resolve, reject) => {
        questions.push({ hash, answer: resolve, fail: () => reject(new Error("down")) });
      }),
    { ...defaults, ...bounds },
    { now: () => time.nowMs, wallNow: () => time.nowMs },
  );
  const find = (hash: string) => cache.find(hash, "192.0.2.1");
  const learn = async (hash: string, given: Answer<Who> | undefined = known(hash)) => {
    const found = find(hash);
    questions.at(-1)?.answer(given);
    return await found;
  };
  return { time, questions, cache, find, learn };
}

function known(name: string, expiresAtMs = Infinity): Answer<Who> {
  return { value: { name }, expiresAtMs, subjects: [`token:${name}`, "project:p"] };
}

/** Runs all pending callbacks. */
const settled = async () => await new Promise((resolve) => void setImmediate(resolve));

describe("a known credential", () => {
  it("is answered synchronously, with the same object, until it is five seconds old", async () => {
    const { time, find, learn, questions } = setUp();
    const first = await learn("a");
    time.nowMs += 3_999;
    expect(find("a")).toBe(first);
    time.nowMs += 1_001;
    expect(find("a")).toBeInstanceOf(Promise);
    expect(questions.length).toBe(2);
  });

  it("counts its age from the question, not from the answer", async () => {
    const { time, find, questions } = setUp();
    const found = find("a");
    time.nowMs += 4_999;
    questions[0]?.answer(known("a"));
    await found;
    time.nowMs += 1;
    expect(find("a")).toBeInstanceOf(Promise);
  });

  it("is renewed in the background by one question before it gets too old", async () => {
    const { time, find, learn, questions } = setUp();
    const first = await learn("a");
    time.nowMs += 4_000;
    expect(find("a")).toBe(first);
    expect(find("a")).toBe(first);
    expect(questions.length).toBe(2);
    questions[1]?.answer(known("a"));
    await settled();
    time.nowMs += 3_000;
    expect(find("a")).toBe(first);
  });

  it("keeps its object when a new answer says the same, and changes it when it does not", async () => {
    const { time, learn } = setUp();
    const first = await learn("a");
    time.nowMs += 5_000;
    expect(await learn("a")).toBe(first);
    time.nowMs += 5_000;
    expect(await learn("a", { ...known("a"), value: { name: "renamed" } })).toEqual({ name: "renamed" });
  });

  it("is refused from the moment it expires, though its answer is fresh", async () => {
    const { time, find, learn, questions } = setUp();
    expect(await learn("a", known("a", 2_000))).toEqual({ name: "a" });
    time.nowMs = 1_999;
    expect(find("a")).toEqual({ name: "a" });
    time.nowMs = 2_000;
    const found = find("a");
    const refusal = new GatewayError("invalid_token", "Token has expired (exp).");
    questions.at(-1)?.answer(refusal);
    expect(await found).toBe(refusal);
    expect(find("a")).toBe(refusal);
    expect(questions.length).toBe(2);
  });

  it("is refused once it has expired, also where the control plane's clock says otherwise", async () => {
    const { time, find, learn, questions } = setUp();
    await learn("a", known("a", 2_000));
    time.nowMs = 2_000;
    const found = find("a");
    questions.at(-1)?.answer(known("a", 2_000));
    expect(await found).toBeUndefined();
    expect(find("a")).toBeUndefined();
    expect(questions.length).toBe(2);
  });

  it("is asked about once, for any number of waiting requests", async () => {
    const { find, questions } = setUp();
    const waiting = [find("a"), find("a"), find("a")];
    expect(questions.length).toBe(1);
    questions[0]?.answer(known("a"));
    expect(await Promise.all(waiting.map(async (found) => await found))).toEqual([
      { name: "a" },
      { name: "a" },
      { name: "a" },
    ]);
  });
});

describe("an invalidation", () => {
  it("removes the entries of its subject, and no others", async () => {
    const { cache, find, learn, questions } = setUp();
    await learn("a");
    const b = await learn("b");
    cache.invalidate("token:a");
    expect(find("b")).toBe(b);
    const again = find("a");
    questions.at(-1)?.answer(undefined);
    expect(await again).toBeUndefined();
  });

  it("of a project forgets all of its tokens", async () => {
    const { cache, find, learn } = setUp();
    await learn("a");
    await learn("b");
    cache.invalidate("project:p");
    expect([find("a"), find("b")].every((found) => found instanceof Promise)).toBe(true);
  });

  it("is not outlived by a stale answer while the control plane is unreachable", async () => {
    const { cache, find, learn, questions } = setUp();
    await learn("a");
    cache.invalidate("token:a");
    const found = find("a");
    questions.at(-1)?.fail();
    await expect(found).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
  });

  it("discards the answer to a question in progress, and repeats the question", async () => {
    const { cache, find, questions } = setUp();
    const found = find("a");
    cache.invalidate("token:a");
    questions[0]?.answer(known("a"));
    await settled();
    expect(questions.length).toBe(2);
    const joined = find("a");
    questions[1]?.answer(undefined);
    expect([await found, await joined]).toEqual([undefined, undefined]);
    expect(find("a")).toBeUndefined();
  });

  it("of another subject does not affect a question in progress", async () => {
    const { cache, find, questions } = setUp();
    const found = find("a");
    cache.invalidate("token:b");
    questions[0]?.answer(known("a"));
    expect(await found).toEqual({ name: "a" });
    expect(find("a")).toEqual({ name: "a" });
    expect(questions.length).toBe(1);
  });

  it("of every answer ends in an error, not a guess", async () => {
    const { cache, find, questions } = setUp();
    const found = find("a");
    const outcome = expect(found).rejects.toMatchObject({ code: "unavailable" });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      cache.invalidate("project:p");
      questions[attempt]?.answer(known("a"));
      await settled();
    }
    await outcome;
    expect(questions.length).toBe(3);
  });

  it("does not cache a credential as unknown that may have become known", async () => {
    const { cache, find, questions } = setUp();
    const found = find("a");
    cache.invalidate("token:z");
    questions[0]?.answer(undefined);
    expect(await found).toBeUndefined();
    expect(find("a")).toBeInstanceOf(Promise);
  });
});

describe("distrust, after changes may have been missed", () => {
  it("asks about every entry again, and serves the old answer until there is a new one", async () => {
    const { cache, find, learn, questions } = setUp();
    const first = await learn("a");
    cache.distrust();
    const found = find("a");
    expect(found).toBeInstanceOf(Promise);
    questions.at(-1)?.fail();
    expect(await found).toBe(first);
  });

  it("applies to an answer that was in progress", async () => {
    const { cache, find, questions } = setUp();
    const found = find("a");
    cache.distrust();
    questions[0]?.answer(known("a"));
    expect(await found).toEqual({ name: "a" });
    expect(find("a")).toBeInstanceOf(Promise);
  });
});

describe("while the control plane cannot be asked", () => {
  it("known credentials are served until they are too old, with occasional attempts to ask", async () => {
    const { time, find, learn, questions } = setUp();
    const first = await learn("a");
    time.nowMs += 5_000;
    const found = find("a");
    questions.at(-1)?.fail();
    expect(await found).toBe(first);
    for (let request = 0; request < 10; request += 1) expect(find("a")).toBe(first);
    expect(questions.length).toBe(2);
    time.nowMs += 500;
    expect(find("a")).toBe(first);
    expect(find("a")).toBe(first);
    expect(questions.length).toBe(3);
    time.nowMs = 1_000 + 60_000;
    const late = find("a");
    questions.at(-1)?.fail();
    await expect(late).rejects.toMatchObject({ code: "unavailable" });
  });

  it("an expired credential is still refused", async () => {
    const { time, find, learn, questions } = setUp();
    await learn("a", known("a", 6_500));
    time.nowMs += 5_000;
    const found = find("a");
    questions.at(-1)?.fail();
    expect(await found).toEqual({ name: "a" });
    time.nowMs += 1_000;
    expect(find("a")).toBeUndefined();
  });

  it("an unknown credential is neither refused nor remembered", async () => {
    const { find, questions } = setUp();
    const found = find("a");
    questions[0]?.fail();
    await expect(found).rejects.toMatchObject({ code: "unavailable", retryAfterSeconds: 1 });
    expect(find("a")).toBeInstanceOf(Promise);
  });

  it("the first answer ends the outage, and stale entries are asked about again", async () => {
    const { time, cache, find, learn, questions } = setUp();
    await learn("a");
    time.nowMs += 5_000;
    const found = find("a");
    questions.at(-1)?.fail();
    await found;
    cache.reached();
    expect(find("a")).toBeInstanceOf(Promise);
  });
});

describe("bounds", () => {
  it("an unknown credential is remembered for a short while only", async () => {
    const { time, find, questions } = setUp();
    const found = find("x");
    questions[0]?.answer(undefined);
    await found;
    time.nowMs += 999;
    expect(find("x")).toBeUndefined();
    expect(questions.length).toBe(1);
    time.nowMs += 1;
    expect(find("x")).toBeInstanceOf(Promise);
  });

  it("unknown credentials evict no known one", async () => {
    const { find, learn, questions, cache } = setUp();
    const a = await learn("a");
    for (let number = 0; number < 50; number += 1) {
      const found = find(`random-${number}`);
      questions.at(-1)?.answer(undefined);
      await found;
    }
    expect(find("a")).toBe(a);
    expect(cache.size).toBe(1);
  });

  it("the least recently used of too many known ones is forgotten, with its subjects", async () => {
    const { find, learn, cache } = setUp();
    for (const hash of ["a", "b", "c", "d"]) await learn(hash);
    expect(cache.size).toBe(3);
    cache.invalidate("token:a");
    expect(find("a")).toBeInstanceOf(Promise);
    cache.invalidate("project:p");
    expect(cache.size).toBe(0);
  });

  it("too many concurrent questions are refused, and unknown credentials leave room for those in use", async () => {
    const { find, learn, time, questions } = setUp();
    await learn("used");
    time.nowMs += 5_000;
    const waiting = ["a", "b", "c"].map((hash) => find(hash));
    await expect(find("d")).rejects.toMatchObject({ code: "unavailable" });
    waiting.push(find("used"));
    expect(questions.at(-1)?.hash).toBe("used");
    for (const question of questions) question.answer(known(question.hash));
    await Promise.all(waiting.map(async (found) => await found));
    expect(find("d")).toBeInstanceOf(Promise);
  });
});

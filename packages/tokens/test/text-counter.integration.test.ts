import { afterEach, expect, test } from "vitest";
import { createTextCounter, textCounterBounds } from "../src/create-text-counter.ts";
import { countTexts, tokensAtMost } from "../src/token-count.ts";
import { loadEncoder } from "../src/token-encoder.ts";

const open: { close: () => void }[] = [];
afterEach(() => open.splice(0).forEach((counter) => counter.close()));

function counterOf(bounds: Partial<typeof textCounterBounds> = {}, knownTextsMax = 0) {
  const counter = createTextCounter(knownTextsMax, { ...textCounterBounds, ...bounds });
  open.push(counter);
  return counter;
}

const scope = { tenant: "p" };
const long = "Every text of this length is counted on another thread. ".repeat(1_000);

test("a long text has the same count on a thread as in this process", async () => {
  const counts = await counterOf().count([long, "short"], scope);
  expect(counts).toEqual(countTexts([long, "short"], loadEncoder()));
});

test("a count that takes too long is estimated from there on", async () => {
  const [count] = await counterOf({ timeMsMax: 0 }).count([long], scope);
  expect(count).toBe(tokensAtMost(long));
});

test("a count that exceeds its deadline is ended, and the text counts by its bytes", async () => {
  const counter = counterOf({ deadlineMs: 1 });
  // Random letters are the most expensive text: none of their words is in the vocabulary.
  const dear = Array.from({ length: 300_000 }, (_, index) => String.fromCharCode(97 + ((index * 7_919) % 26))).join("");
  expect(await counter.count([dear], scope)).toEqual([dear.length]);
});

test("long texts are counted once per tenant, with any other texts", async () => {
  const counter = counterOf({}, 10);
  const exact = countTexts([long, "short"], loadEncoder());
  expect(await counter.count([long], scope)).toEqual(exact.slice(0, 1));
  counter.close();
  // Without its thread, it can only count short texts.
  expect(await counter.count(["short", long], scope)).toEqual(exact.toReversed());
  await expect(counter.count([long], { tenant: "q" })).rejects.toMatchObject({ code: "unavailable" });
});

test.each([
  { name: "took too long", bounds: { timeMsMax: 0 }, of: {} },
  { name: "exceeds the part that must be exact", bounds: {}, of: { tokensMax: 10 } },
  { name: "waited in vain", bounds: { deadlineMs: 0 }, of: {} },
])("the estimate of a text that $name is not cached", async ({ bounds, of }) => {
  const counter = counterOf(bounds, 10);
  await counter.count([long], { ...scope, ...of });
  counter.close();
  await expect(counter.count([long], scope)).rejects.toMatchObject({ code: "unavailable" });
});

test("cached counts use up the part that must be exact", async () => {
  const counter = counterOf({}, 10);
  const [exact = 0] = await counter.count([long], scope);
  const other = `${long} And more.`;
  const [first, second = 0] = await counter.count([long, other], { ...scope, tokensMax: exact + 1 });
  expect(first).toBe(exact);
  expect(second).toBeGreaterThan(exact * 0.9);
});

test("the event loop runs while 4 MiB are counted", async () => {
  const counter = counterOf();
  await counter.count([long], scope);
  let longestMs = 0;
  let last = performance.now();
  const turn = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 1);
  await counter.count(["a".repeat(4 * 1_048_576)], scope);
  clearInterval(turn);
  expect(longestMs).toBeLessThan(200);
});

test("a text beyond the capacity is refused, or estimated if the caller allows it", async () => {
  const counter = counterOf();
  counter.close();
  await expect(counter.count([long], scope)).rejects.toMatchObject({ code: "unavailable" });
  expect(await counter.count([long], { ...scope, mayEstimate: true })).toEqual([tokensAtMost(long)]);
});

import { expect, test } from "vitest";
import { BlockDigest, digestMs } from "./block-digest.ts";

interface Blocked {
  readonly requestId: string;
  readonly token: string;
  readonly slug: string;
}

function setup() {
  const clock = { now: 1_000 };
  const digest = new BlockDigest(
    ({ token, slug }: Blocked) => [token, slug],
    () => clock.now,
  );
  const note = (requestId: string, { token = "a", detector = "pii", slug = "e" } = {}) =>
    digest.note({ requestId, token, slug }, { detector, message: "m" });
  return { clock, digest, note };
}

test("the first block of a kind is told at once, the others are counted in one summary", () => {
  const { clock, digest, note } = setup();
  expect(note("r1")).toMatchObject({ count: 1, since: undefined });
  expect([note("r2"), note("r3")]).toEqual([undefined, undefined]);
  expect(digest.takeDue()).toEqual([]);
  clock.now += digestMs;
  expect(digest.takeDue()).toMatchObject([{ event: { requestId: "r3" }, count: 2, since: 1_000 }]);
});

test("a kind that goes on has one event a minute; one that has stopped begins again", () => {
  const { clock, digest, note } = setup();
  note("r1");
  note("r2");
  clock.now += digestMs;
  digest.takeDue();
  expect(note("r4")).toBeUndefined();
  clock.now += digestMs;
  expect(digest.takeDue()).toMatchObject([{ count: 1 }]);
  clock.now += digestMs;
  expect(digest.takeDue()).toEqual([]);
  expect(note("r5")).toMatchObject({ count: 1, since: undefined });
});

test("tokens, endpoints and detectors are told apart", () => {
  const { note } = setup();
  const kinds = [{}, { token: "b" }, { detector: "keyword" }, { slug: "f" }];
  expect(kinds.map((kind) => note("r", kind)?.count)).toEqual([1, 1, 1, 1]);
});

test("what is counted when the service stops is told then", () => {
  const { digest, note } = setup();
  for (const id of ["r1", "r2"]) note(id);
  expect(digest.takeDue(true)).toMatchObject([{ count: 1 }]);
  expect(digest.takeDue(true)).toEqual([]);
});

test("a flood of calls makes one event and one summary", () => {
  const { clock, digest, note } = setup();
  const told = Array.from({ length: 10_000 }, (_, index) => note(`r${index}`)).filter((notice) => notice !== undefined);
  clock.now += digestMs;
  expect([told.length, digest.takeDue().length]).toEqual([1, 1]);
});

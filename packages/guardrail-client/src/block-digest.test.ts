import { expect, test } from "vitest";
import { BlockDigest, digestMs, singlesMax } from "./block-digest.ts";

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
  const record = (requestId: string, { token = "a", detector = "pii", slug = "e" } = {}) =>
    digest.record({ requestId, token, slug }, { detector, message: "m" });
  /** As many blocks as get separate events. */
  const fill = () => Array.from({ length: singlesMax }, (_, index) => record(`s${index}`));
  return { clock, digest, record, fill };
}

test("the first blocks of a kind have an event each, and later ones are counted in a summary", () => {
  const { clock, digest, record, fill } = setup();
  expect(fill()).toMatchObject(Array.from({ length: singlesMax }, () => ({ count: 1, since: undefined })));
  expect([record("r2"), record("r3")]).toEqual([undefined, undefined]);
  expect(digest.takeDue()).toEqual([]);
  clock.now += digestMs;
  expect(digest.takeDue()).toMatchObject([{ event: { requestId: "r3" }, count: 2, since: 1_000 }]);
});

test("a kind that continues has one event a minute, and starts again after a pause", () => {
  const { clock, digest, record, fill } = setup();
  fill();
  record("r2");
  clock.now += digestMs;
  digest.takeDue();
  expect(record("r4")).toBeUndefined();
  clock.now += digestMs;
  expect(digest.takeDue()).toMatchObject([{ count: 1 }]);
  clock.now += digestMs;
  expect(digest.takeDue()).toEqual([]);
  expect(record("r5")).toMatchObject({ count: 1, since: undefined });
});

test("tokens, endpoints and detectors are counted separately", () => {
  const { record, fill } = setup();
  fill();
  const kinds = [{}, { token: "b" }, { detector: "keyword" }, { slug: "f" }];
  expect(kinds.map((kind) => record("r", kind)?.count)).toEqual([undefined, 1, 1, 1]);
});

test("remaining counts are reported when the service stops", () => {
  const { digest, record, fill } = setup();
  fill();
  record("r2");
  expect(digest.takeDue(true)).toMatchObject([{ count: 1 }]);
  expect(digest.takeDue(true)).toEqual([]);
});

test("a flood of calls creates ten events and one summary", () => {
  const { clock, digest, record } = setup();
  const notices = Array.from({ length: 10_000 }, (_, index) => record(`r${index}`)).filter(
    (notice) => notice !== undefined,
  );
  clock.now += digestMs;
  expect([notices.length, digest.takeDue().length]).toEqual([singlesMax, 1]);
});

import { expect, test } from "vitest";
import { fromRouterHeader, toRouterHeader } from "./router-facts.ts";

const facts = { version: "1.2.3", runtime: "24.0.0", host: "rächner-1", startedAtMs: 1_700_000_000_000.5 };

test("a router's facts are unchanged by their header", () => {
  const header = toRouterHeader(facts);
  expect(header).toMatch(/^[\x21-\x7E]+$/);
  expect(fromRouterHeader(header)).toEqual(facts);
});

test.each([undefined, "", "%", "null", "7", "{}", toRouterHeader({ ...facts, startedAtMs: Number.NaN })])(
  "%j is not a router's header",
  (text) => {
    expect(fromRouterHeader(text)).toBeUndefined();
  },
);

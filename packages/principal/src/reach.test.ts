import { expect, test } from "vitest";
import { parseNetworks } from "./networks.ts";
import { mayCallFrom, mayReachEndpoint, mayReachEndpointAsTool, mayReachTool, wholeReach } from "./reach.ts";

const narrowed = (lists: Partial<typeof wholeReach>) => ({ reach: { ...wholeReach, ...lists } });

test("an absent reach, and a null list, allow everything", () => {
  for (const principal of [{}, narrowed({})]) {
    expect(mayReachEndpoint(principal, "any")).toBe(true);
    expect(mayReachTool(principal, "any")).toBe(true);
    expect(mayCallFrom(principal, "192.0.2.1")).toBe(true);
  }
});

test("an empty list allows nothing", () => {
  expect(mayReachEndpoint(narrowed({ endpoints: [] }), "any")).toBe(false);
  expect(mayReachTool(narrowed({ tools: [] }), "any")).toBe(false);
  expect(mayCallFrom(narrowed({ networks: [] }), "192.0.2.1")).toBe(false);
});

test("an endpoint as a tool must be in both lists", () => {
  const both = narrowed({ endpoints: ["a", "b"], tools: ["b", "c"] });
  expect(["a", "b", "c"].filter((slug) => mayReachEndpointAsTool(both, slug))).toEqual(["b"]);
});

test("an endpoint's name is compared literally, a tool's as a pattern", () => {
  expect(mayReachEndpoint(narrowed({ endpoints: ["a*"] }), "ab")).toBe(false);
  expect(mayReachTool(narrowed({ tools: ["a*"] }), "ab")).toBe(true);
});

test.each([
  ["192.0.2.0/24", "192.0.2.255", true],
  ["192.0.2.0/24", "192.0.3.0", false],
  ["192.0.2.1", "192.0.2.1", true],
  ["2001:db8::/32", "2001:db8:ffff::1", true],
  ["2001:db8::/32", "192.0.2.1", false],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["192.0.2.0/24", "", false],
])("the network %s contains %s: %j", (network, address, expected) => {
  expect(mayCallFrom(narrowed({ networks: [network] }), address)).toBe(expected);
});

test.each(["", "a", "192.0.2.0/33", "192.0.2.0/-1", "192.0.2.0/24/8", "fe80::1%eth0", "192.0.2", "10.0.0.0/08x"])(
  "%j is not a network",
  (entry) => expect(parseNetworks([entry]).bad).toEqual([entry]),
);

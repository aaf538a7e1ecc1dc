import { expect, test } from "vitest";
import { createEgressGuard } from "./egress-guard.ts";
import { listOwnAddresses } from "./own-addresses.ts";

test.each([
  ["127.0.0.1", ["127.0.0.1:8080"]],
  ["::1", ["[::1]:8080"]],
  ["169.254.169.254", []],
])("listening on %s means %j", (host, addresses) => {
  expect(listOwnAddresses(host, 8080)).toEqual(addresses);
});

test.each(["0.0.0.0", "::", "localhost", ""])("listening on %j means every address of this machine", (host) => {
  const ownAddresses = listOwnAddresses(host, 8080);
  expect(ownAddresses).toContain("127.0.0.1:8080");
  expect(() => createEgressGuard({ ownAddresses })).not.toThrow();
});

test("a port that the system chooses is not known beforehand", () => {
  expect(listOwnAddresses("127.0.0.1", 0)).toEqual([]);
});

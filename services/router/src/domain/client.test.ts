import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { addressKey, createClientOf, parseTrustedProxies, plainAddress } from "./client.ts";

const { proxies } = parseTrustedProxies("10.0.0.0/8, 2001:db8:1::/48,192.0.2.7");
const clientOf = createClientOf(proxies);
const from = (peerAddress: string, forwardedFor?: string | string[], forwardedProto?: string) =>
  clientOf({ peerAddress, forwardedFor, forwardedProto });

describe("the client of a request", () => {
  it.each([
    ["a connection that is not of a proxy", "203.0.113.9", "1.1.1.1", "203.0.113.9"],
    ["a trusted proxy without a header", "10.1.1.1", undefined, "10.1.1.1"],
    ["a trusted proxy", "10.1.1.1", "203.0.113.5", "203.0.113.5"],
    ["an entry of the client before the proxy's", "10.1.1.1", "1.1.1.1, 203.0.113.5", "203.0.113.5"],
    ["a chain of trusted proxies", "10.1.1.1", "6.6.6.6, 203.0.113.5, 192.0.2.7, 10.2.2.2", "203.0.113.5"],
    ["a chain of which all are trusted", "10.1.1.1", "10.2.2.2, 10.3.3.3", "10.2.2.2"],
    ["an entry that is not an address", "10.1.1.1", "203.0.113.5, unknown", "10.1.1.1"],
    ["an entry that is not an address behind a proxy", "10.1.1.1", "evil, 10.2.2.2", "10.2.2.2"],
    ["a port", "10.1.1.1", "203.0.113.5:4711", "203.0.113.5"],
    ["IPv6 with a port", "10.1.1.1", "[2001:db8:2::5]:4711", "2001:db8:2::5"],
    ["IPv4 on an IPv6 socket", "::ffff:10.1.1.1", "203.0.113.5", "203.0.113.5"],
    ["IPv4 written as IPv6", "10.1.1.1", "::ffff:203.0.113.5", "203.0.113.5"],
    ["an IPv6 proxy", "2001:db8:1::9", "203.0.113.5", "203.0.113.5"],
    ["an empty header", "10.1.1.1", "", "10.1.1.1"],
  ])("is found behind %s", (...[, peer, forwardedFor, expected]) => {
    expect(from(peer, forwardedFor).ipAddress).toBe(expected);
  });

  it("has the protocol that the nearest trusted proxy names, and http otherwise", () => {
    expect(from("10.1.1.1", "203.0.113.5", "https").protocol).toBe("https");
    expect(from("10.1.1.1", "203.0.113.5", "https, http").protocol).toBe("http");
    expect(from("203.0.113.9", "203.0.113.5", "https").protocol).toBe("http");
    expect(from("10.1.1.1").protocol).toBe("http");
  });

  it("is the connection's, with any headers, if no proxy is trusted", () => {
    const plain = createClientOf(undefined);
    fc.assert(
      fc.property(fc.string(), fc.string(), (forwardedFor, forwardedProto) => {
        const client = plain({ peerAddress: "203.0.113.9", forwardedFor, forwardedProto });
        expect(client).toEqual({ ipAddress: "203.0.113.9", protocol: "http" });
      }),
    );
  });

  it("is never chosen by entries to the left of the proxy's own", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (prefix) => {
        expect(from("10.1.1.1", `${prefix}, 203.0.113.5`).ipAddress).toBe("203.0.113.5");
      }),
    );
  });
});

test.each([
  "10.0.0.0/33",
  "10.0.0/8",
  "host.example",
  "::1/129",
  "10.0.0.1/8/9",
  "10.0.0.0/",
  "fe80::1%eth0",
  "10.0.0.0/-1",
])("%s is not a network, and is named once", (entry) => {
  expect(parseTrustedProxies(`${entry},10.0.0.0/8, ${entry}`).bad).toEqual([entry]);
});

test("an empty entry is not a proxy", () => {
  expect(parseTrustedProxies(" , ")).toEqual({ proxies: undefined, bad: [] });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["", ""],
])("%s is counted as %s", (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test("an address is written without zone, and IPv4 as such", () => {
  expect(plainAddress("fe80::1%eth0")).toBe("fe80::1");
  expect(plainAddress("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(plainAddress(undefined)).toBe("");
});

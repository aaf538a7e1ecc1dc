import { describe, expect, test } from "vitest";
import { formatPeerAddress, parsePeerAddresses, parsePeerUrl } from "./address.ts";

test("one address, several, and IPv6 in brackets are read, and written the same way", () => {
  const text = "chat:9082,10.0.0.7:1,[::1]:65535";
  const addresses = parsePeerAddresses(` chat:9082 , 10.0.0.7:1,[::1]:65535`);
  expect(addresses).toEqual([
    { host: "chat", port: 9082 },
    { host: "10.0.0.7", port: 1 },
    { host: "::1", port: 65_535 },
  ]);
  expect(addresses?.map(formatPeerAddress).join(",")).toBe(text);
});

test.each(["", "chat", "chat:", ":1", "chat:0", "chat:65536", "http://chat:1", "a:1,", "a:1,,b:2", "::1:80", "a b:1"])(
  "'%s' is refused",
  (text) => {
    expect(parsePeerAddresses(text)).toBeUndefined();
  },
);

describe("the URL of a service", () => {
  test("is one or several, of one scheme", () => {
    expect(parsePeerUrl("http://chat:8082")).toEqual({ scheme: "http", addresses: [{ host: "chat", port: 8082 }] });
    expect(parsePeerUrl("https://a, https://[::1]:8443")?.addresses).toEqual([
      { host: "a", port: 443 },
      { host: "::1", port: 8443 },
    ]);
  });

  test.each([
    "",
    "chat:8082",
    "http://a:1,https://b:2",
    "ftp://a:1",
    "http://a:1/path",
    "http://a:1?x=1",
    "http://a:1,",
  ])("is not '%s'", (text) => {
    expect(parsePeerUrl(text)).toBeUndefined();
  });
});

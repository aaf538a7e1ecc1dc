import { expect, test } from "vitest";
import { formatPeerAddress, parsePeerAddresses } from "./address.ts";

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

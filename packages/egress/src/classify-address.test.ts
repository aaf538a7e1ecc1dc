import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { carriedIpv4, classifyAddress, judgeByFloor } from "./classify-address.ts";

test.each([
  ["127.0.0.1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["168.63.129.16", "cloud host agent"],
  ["255.255.255.255", "reserved"],
  ["2001:db8::1", "documentation"],
  ["2002:808:808::1", "6to4"],
  ["2606:4700::5efe:808:808", "ISATAP"],
  ["2606:4700::200:5efe:808:808", "ISATAP"],
  ["64:ff9b::808:808", "not in public IPv6 space"],
  ["ff02::1", "multicast"],
  ["fd00:ec2::254", "cloud metadata"],
  ["4000::1", "not in public IPv6 space"],
])("%s is refused as %s", (text, reason) => {
  expect(classifyAddress(text)).toEqual({ allowed: false, reason });
});

test.each(["1.1.1.1", "::ffff:8.8.8.8", "2606:4700:4700::1111", "192.31.196.1", "168.63.129.15"])(
  "%s is public",
  (text) => {
    expect(classifyAddress(text)).toEqual({ allowed: true });
  },
);

test.each([
  "",
  "1.1.1",
  "01.1.1.1",
  "0x1010101",
  "16843009",
  "1.1.1.256",
  "1.1.1.1.",
  "[2606:4700::1]",
  "2606:4700::1%1",
  ":::",
  "::1::",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7::8:9",
  "1.1.1.1:2::",
  "12345::",
  "g::",
])("%j cannot be read, and is refused", (text) => {
  expect(parseAddress(text)).toBeUndefined();
  expect(classifyAddress(text)).toEqual({ allowed: false, reason: "unreadable address" });
});

test("bytes that are not an address are refused", () => {
  for (const length of [0, 3, 5, 15, 17]) expect(classifyAddress(new Uint8Array(length).fill(8)).allowed).toBe(false);
});

test.each([
  ["::a9fe:a9fe", ["169.254.169.254"]],
  ["::ffff:0:a9fe:a9fe", ["169.254.169.254"]],
  ["64:ff9b::a9fe:a9fe", ["169.254.169.254"]],
  ["64:ff9b:1:a9fe:a9:fe00::", ["0.0.0.0", "169.254.169.254"]],
  ["2002:a9fe:a9fe::1", ["169.254.169.254"]],
  ["2001:0:a9fe:a9fe:8000:63bf:80ff:fffe", ["169.254.169.254", "127.0.0.1"]],
  ["fe80::200:5efe:a9fe:a9fe", ["169.254.169.254"]],
  ["::1", []],
  ["::", []],
  ["2606:4700:4700::1111", []],
  ["10.0.0.1", []],
])("%s carries %j", (text, carried) => {
  const bytes = parseAddress(text) ?? new Uint8Array();
  expect(carriedIpv4(bytes).map((address) => address.join("."))).toEqual(carried);
  expect(judgeByFloor(bytes).allowed).toBe(!carried.includes("169.254.169.254") && text !== "::");
});

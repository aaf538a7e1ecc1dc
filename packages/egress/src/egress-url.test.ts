import { expect, test } from "vitest";
import { parseStrictUrl, targetOf, urlLengthMax } from "./egress-url.ts";

test.each([
  ["http://ex%61mple.com/", "The host name is not valid."],
  ["http:///example.com/", "The host name is not valid."],
  ["http://user@example.com/", "The URL holds a user name or password."],
  ["http://example.com/a b", "The URL holds a space, a control character or a backslash."],
  ["http://example.com/a\\b", "The URL holds a space, a control character or a backslash."],
  ["http://example.com/\u0000", "The URL holds a space, a control character or a backslash."],
  ["ftp://example.com/", "The URL must start with http:// or https://."],
  ["http://[::1", "The URL is not valid."],
  [`http://example.com/${"a".repeat(urlLengthMax)}`, "The URL is longer than 2048 characters."],
])("%j is refused before or by parsing", (text, detail) => {
  expect(() => parseStrictUrl(text)).toThrow(expect.objectContaining({ code: "ssrf_blocked", details: { detail } }));
});

test.each([
  ["https://Example.COM./a", { protocol: "https:", hostname: "example.com", port: 443 }],
  ["http://[2606:4700::1]:8080/", { protocol: "http:", hostname: "2606:4700::1", port: 8080 }],
  ["http://16843009/", { protocol: "http:", hostname: "1.1.1.1", port: 80 }],
])("%s is parsed to one target", (text, target) => {
  expect(targetOf(parseStrictUrl(text))).toEqual(target);
});

test.each(["http://../", "http://a..b/", `http://${"a".repeat(64)}.com/`, "http://*.com/"])(
  "%s names no host",
  (text) => {
    expect(() => targetOf(parseStrictUrl(text))).toThrow(expect.objectContaining({ code: "ssrf_blocked" }));
  },
);

import { expect, test } from "vitest";
import { keepHeaders, keptHeaderBounds, redactedValue } from "./kept-headers.ts";

test("names and values are kept as they came", () => {
  const headers = { "content-type": "text/plain", "retry-after": "7", via: ["1.1 a", "1.1 b"], absent: undefined };
  expect(keepHeaders(headers)).toEqual({ "content-type": "text/plain", "retry-after": "7", via: "1.1 a, 1.1 b" });
});

test.each([
  "set-cookie",
  "authorization",
  "www-authenticate",
  "proxy-authorization",
  "x-api-key",
  "x-auth-token",
  "x-amz-security-token",
  "x-session-id",
  "x-csrf-token",
  "x-hub-signature-256",
  "key",
  "x-sid",
])("the value of %s is not kept", (name) => {
  expect(keepHeaders({ [name]: "hush" })).toEqual({ [name]: redactedValue });
});

test.each(["x-request-id", "cf-ray", "server", "x-monkey", "content-length", "x-cache", "sec-fetch-site"])(
  "the value of %s is kept",
  (name) => {
    expect(keepHeaders({ [name]: "a-1" })).toEqual({ [name]: "a-1" });
  },
);

test("an address is kept without its password and its query", () => {
  const { location } = keepHeaders({ location: "https://me:pass@example.com/a?token=hush#more" });
  expect(location).toBe("https://example.com/a");
});

test("stored headers are bounded in number and in the length of names and values", () => {
  const many = Object.fromEntries(
    Array.from({ length: 500 }, (_, at) => [`x-${at}-${"n".repeat(300)}`, "v".repeat(9_000)]),
  );
  const kept = Object.entries(keepHeaders(many));
  expect(kept).toHaveLength(keptHeaderBounds.count);
  for (const [name, value] of kept) {
    expect(name).toHaveLength(keptHeaderBounds.nameLength);
    expect(value).toHaveLength(keptHeaderBounds.valueLength);
  }
});

test("no character is stored that the database refuses", () => {
  expect(keepHeaders({ odd: `a\0${"b".repeat(keptHeaderBounds.valueLength - 4)}😀c` })["odd"]).toMatch(
    /^a\uFFFDb+\uFFFD…$/,
  );
});

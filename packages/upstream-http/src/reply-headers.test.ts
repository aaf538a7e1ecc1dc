import { expect, test } from "vitest";
import { toReplyHeaders } from "./reply-headers.ts";

/** Headers in undici's form: a repeated header is a list, whatever its name. */
const given = (headers: Record<string, string | string[]>) => headers as Record<string, string>;

test("a repeated header becomes one text: the first value where its definition allows only one, else all", () => {
  const headers = given({
    "content-type": ["application/json", "text/event-stream"],
    "retry-after": ["7", "8"],
    "mcp-session-id": ["a", "b"],
    location: ["/one", "/two"],
    "content-encoding": ["gzip", "br"],
    via: ["1.1 a", "1.1 b"],
    "set-cookie": ["a=1; Expires=Mon, 23 Nov 2026 00:00:00 GMT", "b=2"],
    "x-once": "c",
  });
  expect(toReplyHeaders(headers)).toEqual({
    "content-type": "application/json",
    "retry-after": "7",
    "mcp-session-id": "a",
    location: "/one",
    "content-encoding": "gzip, br",
    via: "1.1 a, 1.1 b",
    "set-cookie": "a=1; Expires=Mon, 23 Nov 2026 00:00:00 GMT\nb=2",
    "x-once": "c",
  });
});

test("names of prototype members are ordinary header names", () => {
  const headers = JSON.parse('{"__proto__":["a","b"],"constructor":"c"}') as Record<string, string>;
  expect(Object.entries(toReplyHeaders(headers))).toEqual([
    ["__proto__", "a, b"],
    ["constructor", "c"],
  ]);
});

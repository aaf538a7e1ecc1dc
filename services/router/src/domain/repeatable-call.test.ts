import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { repeatsModelCalls, repeatsSafeMethods } from "./repeatable-call.ts";

test("a model call is repeated, one in a session is not", () => {
  const sent = (text: string) => ({ method: "POST", body: Buffer.from(text), isEncoded: false });
  const call = (body: object) => sent(JSON.stringify(body));
  expect(repeatsModelCalls(call({ message: "dove" }))).toBe(true);
  expect(repeatsModelCalls({ method: "GET", body: null, isEncoded: false })).toBe(true);
  expect(repeatsModelCalls(call({ message: "dove", session_id: "0190c4c0-0000-7000-8000-000000000000" }))).toBe(false);
  expect(repeatsModelCalls(call({ params: { arguments: { session_id: "x" } } }))).toBe(false);
  expect(repeatsModelCalls(sent(String.raw`{"message": "dove", "\u0073ession\u005Fid": "x"}`))).toBe(false);
  expect(repeatsModelCalls(sent(String.raw`{"message": "\u00e9t\u00e9 \u0022x"}`))).toBe(true);
});

test("a compressed body is not searched and not repeated", () => {
  const call = {
    method: "POST",
    body: gzipSync(JSON.stringify({ message: "dove", session_id: "x" })),
    isEncoded: true,
  };
  expect(repeatsModelCalls(call)).toBe(false);
});

test("a request to an API is repeated by its method", () => {
  const repeated = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"].filter((method) => {
    return repeatsSafeMethods({ method, body: null, isEncoded: false });
  });
  expect(repeated).toEqual(["GET", "HEAD", "OPTIONS"]);
});

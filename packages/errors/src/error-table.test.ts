import { expect, test } from "vitest";
import {
  decodeErrorWire,
  encodeErrorWire,
  type ErrorCode,
  errorTable,
  GatewayError,
  toGatewayError,
  toRestErrorBody,
} from "./index.ts";

const codes = Object.keys(errorTable) as ErrorCode[];

test.each(codes)("%s survives a hop between services", (code) => {
  const sent = new GatewayError(code, "What happened.", { details: { scope: "minute" }, retryAfterSeconds: 7 });
  const received = decodeErrorWire(encodeErrorWire(sent));
  expect(received).toMatchObject({
    code,
    message: "What happened.",
    details: { scope: "minute" },
    retryAfterSeconds: 7,
  });
});

test.each(codes)("%s has an HTTP status that fits its kind", (code) => {
  const { http, retryable, jsonRpc } = errorTable[code];
  expect(http).toBeGreaterThanOrEqual(400);
  expect(http).toBeLessThan(600);
  if (retryable) expect([429, 500, 502, 503, 504]).toContain(http);
  expect([-32601, -32602, -32603]).toContain(jsonRpc);
});

test("the cause of an error never reaches a reply or the wire", () => {
  const err = new GatewayError("internal", "Unexpected error.", { cause: new Error("password=hunter2") });
  expect(JSON.stringify(toRestErrorBody(err))).not.toContain("hunter2");
  expect(Buffer.from(encodeErrorWire(err)).toString()).not.toContain("hunter2");
});

test("a rate limit's reply carries scope and retry_after", () => {
  const err = new GatewayError("rate_limited", "Rate limit exceeded.", {
    details: { scope: "hour" },
    retryAfterSeconds: 12,
  });
  expect(toRestErrorBody(err)).toEqual({ ok: false, error: "Rate limit exceeded.", scope: "hour", retry_after: 12 });
});

test("an unrecognised error becomes internal and keeps its cause", () => {
  const cause = new TypeError("boom");
  expect(toGatewayError(cause)).toMatchObject({ code: "internal", message: "Unexpected error.", cause });
});

test("bytes that are not an error of the gateway decode to undefined", () => {
  expect(decodeErrorWire(Buffer.from("{"))).toBeUndefined();
  expect(decodeErrorWire(Buffer.from('{"code":"not_a_code","message":"x"}'))).toBeUndefined();
});

import { GatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { toEgressError } from "./egress-error.ts";

const blocked = new GatewayError("ssrf_blocked", "Upstream URL blocked by SSRF guard.");
const reset = Object.assign(new Error("read ECONNRESET 10.0.0.1"), { code: "ECONNRESET" });

test.each([
  ["the guard's own error", blocked, "ssrf_blocked"],
  ["an error wrapped by fetch", new TypeError("fetch failed", { cause: blocked }), "ssrf_blocked"],
  ["an error wrapped by a forwarder", new GatewayError("unavailable", "Away.", { cause: blocked }), "ssrf_blocked"],
  ["a forwarder's lost connection", new GatewayError("unavailable", "Away.", { cause: reset }), "upstream_unreachable"],
  ["a lost connection", reset, "upstream_unreachable"],
  ["a time limit", new DOMException("late", "TimeoutError"), "upstream_unreachable"],
  ["an aborted call", new DOMException("gone", "AbortError"), "cancelled"],
  ["a value that is not an error", "text", "upstream_unreachable"],
])("%s becomes the right code", (_what, err, code) => {
  const { code: actual, message, details } = toEgressError(err);
  expect(actual).toBe(code);
  expect(JSON.stringify([message, details])).not.toContain("10.0.0.1");
});

import { systemInitiator } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { logRefusedChange } from "./refused-change.ts";

function refuse(operation: string, err: unknown): unknown[] {
  const lines: unknown[] = [];
  const log = { warn: (fields: unknown) => lines.push(fields) } as unknown as Logger;
  const initiator = { ...systemInitiator, actor: "admin_key:initial", ipAddress: "192.0.2.1" };
  logRefusedChange(log, { operation, initiator, requestId: "r", err });
  return lines;
}

test("a refused change is one line that says who asked for what, and why not, without the message", () => {
  const who = { actor: "admin_key:initial", ipAddress: "192.0.2.1", request_id: "r" };
  expect(refuse("svc_rotate_token", new GatewayError("invalid_argument", "Token is revoked: 1."))).toEqual([
    { operation: "svc_rotate_token", ...who, code: "invalid_argument" },
  ]);
  expect(refuse("svc_test_webhook", new Error("secret"))).toEqual([
    { operation: "svc_test_webhook", ...who, code: "internal" },
  ]);
});

test.each(["svc_list_tokens", "svc_get_project", "svc_query_audit_log", "svc_test_guardrails"])(
  "%s changes nothing, so its refusal is no such line",
  (operation) => {
    expect(refuse(operation, new GatewayError("not_found", "x"))).toEqual([]);
  },
);

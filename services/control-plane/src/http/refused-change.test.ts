import { systemInitiator } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import { expect, test, vi } from "vitest";
import { findingOnce, type OperationCatalogue } from "../operations/operation-catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import { logRefusedChange, mayChange } from "./refused-change.ts";

function refuse(operation: string, err: unknown): unknown[] {
  const lines: unknown[] = [];
  const log = { warn: (fields: unknown) => lines.push(fields) } as unknown as Logger;
  const initiator = { ...systemInitiator, actor: "admin_key:initial", ipAddress: "192.0.2.1" };
  logRefusedChange(log, { operation, initiator, requestId: "r", err });
  return lines;
}

test("a refused change is logged in one line with its author, operation and error code, without the message", () => {
  const who = { actor: "admin_key:initial", ip_address: "192.0.2.1", request_id: "r" };
  expect(refuse("svc_rotate_token", new GatewayError("invalid_argument", "Token is revoked: 1."))).toEqual([
    { operation: "svc_rotate_token", ...who, code: "invalid_argument" },
  ]);
  expect(refuse("svc_test_webhook", new Error("secret"))).toEqual([
    { operation: "svc_test_webhook", ...who, code: "internal" },
  ]);
});

test.each([
  ["read", false],
  ["write", true],
  ["administer", true],
] as const)("an operation that needs the right to %s may change something: %s", async (right, expected) => {
  const operation = { access: { right, scope: "project" } } as Operation;
  expect(await mayChange({ find: async () => await Promise.resolve(operation) }, "svc_check_sample")).toBe(expected);
});

test("an unknown name changes nothing, and one whose owner is away may", async () => {
  expect(await mayChange({ find: async () => await Promise.resolve(undefined) }, "svc_make_tea")).toBe(false);
  const away = { find: async () => await Promise.reject(new GatewayError("unavailable", "chat is away.")) };
  expect(await mayChange(away, "svc_create_endpoint")).toBe(true);
  expect(await mayChange(away, "<script>")).toBe(false);
});

test("an operation is searched once per call, even where its owner is away", async () => {
  const find = vi.fn<OperationCatalogue["find"]>().mockRejectedValue(new GatewayError("unavailable", "chat is away."));
  const operations = findingOnce({ find, list: async () => await Promise.resolve([]) }, "svc_create_endpoint");
  await expect(operations.find("svc_create_endpoint")).rejects.toThrow("chat is away.");
  expect(await mayChange(operations, "svc_create_endpoint")).toBe(true);
  expect(find).toHaveBeenCalledOnce();
  await expect(operations.find("svc_other")).rejects.toThrow("chat is away.");
  expect(find).toHaveBeenLastCalledWith("svc_other");
});

import { clientGone, GatewayError, isGatewayError, toAbortReason } from "@gatehouse/errors";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { JsonRpcError } from "@gatehouse/json-rpc";
import { expect, test } from "vitest";
import type { McpCaller } from "./project-mcp-handler.ts";
import { createRecordOutcome, recordRequests, type RequestOutcome } from "./request-outcome.ts";

test.each([
  new JsonRpcError(-32_001, "the patient's name is …", { loggedMessage: "Upstream 'u' answered with error -32001." }),
  new GatewayError("upstream_unreachable", "it said …", { loggedMessage: "Upstream 'u' answered with error -32001." }),
])("an upstream's error is recorded by its code, without its text", async (err) => {
  const outcomes: RequestOutcome[] = [];
  const dispatch = recordRequests(
    () => {
      throw err;
    },
    (outcome) => outcomes.push(outcome),
    () => 0,
  );
  await expect(async () => await dispatch("tools/call", { name: "u__x" }, {} as McpCaller)).rejects.toBe(err);
  expect(outcomes).toMatchObject([{ tool: "u__x", error: { message: "Upstream 'u' answered with error -32001." } }]);
  expect(outcomes[0]?.error?.code).toBe(isGatewayError(err) ? err.code : undefined);
});

test.each<[string, GatewayError, object]>([
  ["its client left", clientGone(), { status: 499, errorCode: "cancelled" }],
  ["its token was revoked", new GatewayError("invalid_token", "Revoked."), { status: 401, errorCode: "invalid_token" }],
])("a request whose reply ended early has the status and the error that were sent: %s", (_name, end, entry) => {
  const gatewayLog = createRecordingGatewayLog();
  const record = createRecordOutcome(gatewayLog, "mcp_gateway", () => 1);
  const signal = AbortSignal.abort(toAbortReason(end));
  const caller = {
    principal: { kind: "token", project: { uuid: "p" } },
    requestId: "r",
    signal,
  } as unknown as McpCaller;
  record(
    { method: "tools/call", error: { code: "cancelled", message: "It had not answered." }, startedAtMs: 0 },
    caller,
  );
  expect(gatewayLog.entries).toMatchObject([{ ...entry, error: end.message }]);
});

test("a request that its client cancelled by a notification is a failed call under 200", () => {
  const gatewayLog = createRecordingGatewayLog();
  const record = createRecordOutcome(gatewayLog, "mcp_gateway", () => 1);
  const caller = {
    principal: { kind: "token", project: { uuid: "p" } },
    signal: AbortSignal.abort(),
  } as unknown as McpCaller;
  record({ error: { code: "cancelled", message: "It had not answered." }, startedAtMs: 0 }, caller);
  expect(gatewayLog.entries).toMatchObject([{ status: 200, errorCode: "cancelled", error: "It had not answered." }]);
});

import { clientGone, GatewayError, isGatewayError, toAbortReason } from "@gatehouse/errors";
import { createRecordingGatewayLog } from "@gatehouse/gateway-log/testing";
import { JsonRpcError } from "@gatehouse/json-rpc";
import { expect, test } from "vitest";
import { PendingReply } from "./pending-reply.ts";
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

function openReply() {
  const gatewayLog = createRecordingGatewayLog();
  const left = new AbortController();
  const reply = new PendingReply(left.signal);
  const caller = {
    principal: { kind: "token", project: { uuid: "p" } },
    requestId: "r",
    reply,
  } as unknown as McpCaller;
  const record = createRecordOutcome(gatewayLog, "mcp_gateway", () => 1);
  return { gatewayLog, left, reply, record: (outcome: RequestOutcome) => record(outcome, caller) };
}

const answered = { method: "ping", startedAtMs: 0 };
const cancelled = { error: { code: "cancelled", message: "It had not answered." }, startedAtMs: 0 } as const;

test.each<[string, GatewayError, object]>([
  ["its client left", clientGone(), { status: 499, errorCode: "cancelled" }],
  ["its token was revoked", new GatewayError("invalid_token", "Revoked."), { status: 401, errorCode: "invalid_token" }],
])("requests whose reply ended early have the status and the error that were sent: %s", (_name, end, entry) => {
  const { gatewayLog, left, reply, record } = openReply();
  record(answered);
  expect(gatewayLog.entries).toEqual([]);
  left.abort(toAbortReason(end));
  record(cancelled);
  reply.settle();
  const sent = { ...entry, error: end.message };
  expect(gatewayLog.entries).toMatchObject([{ ...sent, details: { method: "ping" } }, sent]);
});

test("requests whose reply is sent keep their outcomes, also if their client leaves later", () => {
  const { gatewayLog, left, reply, record } = openReply();
  record(answered);
  record(cancelled);
  reply.settle();
  left.abort(toAbortReason(clientGone()));
  expect(gatewayLog.entries).toMatchObject([
    { status: 200, errorCode: undefined },
    { status: 200, errorCode: "cancelled", error: "It had not answered." },
  ]);
});

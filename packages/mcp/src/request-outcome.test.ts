import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { JsonRpcError } from "@gatehouse/json-rpc";
import { expect, test } from "vitest";
import type { McpCaller } from "./project-mcp-handler.ts";
import { recordRequests, type RequestOutcome } from "./request-outcome.ts";

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

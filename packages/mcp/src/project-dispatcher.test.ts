import { type ErrorCode, errorTable, GatewayError } from "@gatehouse/errors";
import { JsonRpcError } from "@gatehouse/json-rpc";
import { expect, test } from "vitest";
import { createProjectDispatcher } from "./project-dispatcher.ts";
import type { McpCaller } from "./project-mcp-handler.ts";
import type { RequestOutcome } from "./request-outcome.ts";

const shown: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "budget_exhausted",
  "budget_reserved",
  "token_cap_exceeded",
  "guardrail_blocked",
  "input_schema_failed",
  "output_schema_failed",
]);
const codes = Object.keys(errorTable) as ErrorCode[];

/** Sends a request to a server that fails with `err`. */
function ask(method: string, err: Error) {
  const outcomes: RequestOutcome[] = [];
  const fail = async () => await Promise.reject(err);
  const dispatch = createProjectDispatcher(
    { name: "s", listTools: fail, callTool: fail },
    { record: (outcome) => outcomes.push(outcome), wallNow: () => 0 },
  );
  return { outcomes, answer: async () => await dispatch(method, { name: "t" }, {} as McpCaller) };
}

test.each(codes.filter((code) => shown.has(code)))(
  "a call refused with %s is a result, recorded as a failure",
  async (code) => {
    const { outcomes, answer } = ask("tools/call", new GatewayError(code, "Why."));
    expect(await answer()).toEqual({ content: [{ type: "text", text: "Why." }], isError: true });
    expect(outcomes).toMatchObject([{ tool: "t", error: { code, message: "Why." } }]);
  },
);

test.each(codes.filter((code) => !shown.has(code)))("a call fails with %s, recorded once", async (code) => {
  const err = new GatewayError(code, "Why.");
  const { outcomes, answer } = ask("tools/call", err);
  await expect(answer).rejects.toBe(err);
  expect(outcomes).toMatchObject([{ error: { code } }]);
});

test.each([
  ["tools/list", new GatewayError("rate_limited", "Why.")],
  ["tools/call", new JsonRpcError(-32_001, "Why.")],
])("%s fails with an error that is no refusal of a call", async (method, err) => {
  await expect(ask(method, err).answer).rejects.toBe(err);
});

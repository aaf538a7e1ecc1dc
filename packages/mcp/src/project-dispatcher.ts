import { type ErrorCode, isGatewayError } from "@gatehouse/errors";
import type { JsonRpcDispatcher } from "@gatehouse/json-rpc";
import { createMcpDispatcher, type McpServer, type McpToolResult } from "./mcp-dispatcher.ts";
import type { McpCaller } from "./project-mcp-handler.ts";
import { type RecordOutcome, recordRequests } from "./request-outcome.ts";

/** Refusals of a tool call that the model gets as a result, so that it can react. */
const shownToModel: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "budget_exhausted",
  "budget_reserved",
  "token_cap_exceeded",
  "guardrail_blocked",
  "input_schema_failed",
  "output_schema_failed",
]);

interface ProjectDispatcherOptions<Caller extends McpCaller> {
  readonly record: RecordOutcome<Caller>;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
  /** Whether another service has recorded the request of this caller, asked after the request. */
  readonly isRecordedElsewhere?: (caller: Caller) => boolean;
}

/**
 * Dispatcher of a project's server. Servers throw refusals; they become results here, outside of the record, so that the gateway
 * log has the error of each.
 */
export function createProjectDispatcher<Caller extends McpCaller>(
  server: McpServer<Caller>,
  { record, wallNow, isRecordedElsewhere }: ProjectDispatcherOptions<Caller>,
): JsonRpcDispatcher<Caller> {
  return showRefusals(recordRequests(createMcpDispatcher(server), record, wallNow, isRecordedElsewhere));
}

function showRefusals<Caller>(dispatch: JsonRpcDispatcher<Caller>): JsonRpcDispatcher<Caller> {
  return async (method, params, caller) => {
    try {
      return await dispatch(method, params, caller);
    } catch (err) {
      if (method === "tools/call" && isGatewayError(err) && shownToModel.has(err.code))
        return toTextResult(err.message, true);
      throw err;
    }
  };
}

/** @param isError marks a failure to which the model can react */
export function toTextResult(text: string, isError = false): McpToolResult {
  return { content: [{ type: "text", text }], isError };
}

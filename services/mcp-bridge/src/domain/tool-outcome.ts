import { type ErrorCode, type GatewayError, invalidArgument } from "@gatehouse/errors";
import { type JsonObject } from "@gatehouse/json-rpc";
import { type McpToolResult, unknownTool } from "@gatehouse/mcp";

/** Errors that the model gets as a result, so that it can react. */
const shownToModel: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "budget_exhausted",
  "budget_reserved",
  "token_cap_exceeded",
  "guardrail_blocked",
  "input_schema_failed",
  "output_schema_failed",
]);

/** The problem of a call's arguments (-32602); undefined: none. */
export function findArgumentProblem({ message }: JsonObject): GatewayError | undefined {
  if (message === undefined) return invalidArgument("Missing required argument: message");
  if (typeof message !== "string") return invalidArgument("message must be string");
  return undefined;
}

/** @param isError marks a refusal to which the model can react */
export function toTextResult(text: string, isError = false): McpToolResult {
  return { content: [{ type: "text", text }], isError };
}

/**
 * Converts chat's refusal to a result with the reason, or to an error. Callers cannot distinguish unknown, inactive and unexposed
 * endpoints.
 * @throws GatewayError
 */
export function toRefusedResult(err: GatewayError, toolName: string): McpToolResult {
  if (shownToModel.has(err.code)) return toTextResult(err.message, true);
  throw err.code === "endpoint_not_found" ? unknownTool(toolName) : err;
}

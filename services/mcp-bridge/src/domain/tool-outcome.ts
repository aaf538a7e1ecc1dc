import { type ErrorCode, type GatewayError, invalidArgument } from "@gatehouse/errors";
import { type JsonObject } from "@gatehouse/json-rpc";
import { type McpToolResult, unknownTool } from "@gatehouse/mcp";

/** Refusals that the model gets as a result, so that it can act on them. */
const shownToModel: ReadonlySet<ErrorCode> = new Set([
  "rate_limited",
  "budget_exhausted",
  "budget_reserved",
  "token_cap_exceeded",
  "guardrail_blocked",
  "input_schema_failed",
  "output_schema_failed",
]);

/** The fault in a call's arguments (-32602); undefined where there is none. */
export function findArgumentProblem({ message }: JsonObject): GatewayError | undefined {
  if (message === undefined) return invalidArgument("Missing required argument: message");
  if (typeof message !== "string") return invalidArgument("message must be string");
  return undefined;
}

/** A result of one text. @param isError marks a refusal that the model can act on */
export function toTextResult(text: string, isError = false): McpToolResult {
  return { content: [{ type: "text", text }], isError };
}

/**
 * The end of a call that chat refused: a result that says why, or an error. Of an endpoint that is unknown, inactive or
 * not exposed callers learn only that there is no such tool.
 * @throws GatewayError
 */
export function toRefusedResult(err: GatewayError, toolName: string): McpToolResult {
  if (shownToModel.has(err.code)) return toTextResult(err.message, true);
  throw err.code === "endpoint_not_found" ? unknownTool(toolName) : err;
}

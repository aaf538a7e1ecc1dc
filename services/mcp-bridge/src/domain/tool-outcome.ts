import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import { type JsonObject } from "@gatehouse/json-rpc";
import { unknownTool } from "@gatehouse/mcp";

/** The problem of a call's arguments (-32602); undefined: none. */
export function findArgumentProblem({ message }: JsonObject): GatewayError | undefined {
  if (message === undefined) return invalidArgument("Missing required argument: message");
  if (typeof message !== "string") return invalidArgument("message must be string");
  return undefined;
}

/** Chat's refusal as the error of a call: callers cannot distinguish unknown, inactive and unexposed endpoints. */
export function toCallError(err: GatewayError, toolName: string): GatewayError {
  return err.code === "endpoint_not_found" ? unknownTool(toolName) : err;
}

import { isGatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { Operation, OperationContext } from "./operation.ts";

/** What an operation of one owner means for another one, by the operation's name. */
const followUps: Readonly<Record<string, (result: JsonObject, context: OperationContext) => Promise<void>>> = {
  /** After the endpoint, which must never be reachable without its policy. */
  svc_delete_endpoint: async ({ uuid }, { guardrail }) =>
    await ignoreUnavailable(guardrail.deleteEndpoint({ endpointUuid: String(uuid) })),
};

export function withFollowUp(operation: Operation): Operation {
  const followUp = followUps[operation.name];
  if (followUp === undefined) return operation;
  return {
    ...operation,
    async call(given, context) {
      const result = await operation.call(given, context);
      await followUp(result, context);
      return result;
    },
  };
}

/** A policy that is left behind does nothing, and goes with its project. */
async function ignoreUnavailable(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (err) {
    if (!isGatewayError(err) || (err.code !== "unavailable" && err.code !== "deadline_exceeded")) throw err;
  }
}

import { isGatewayError } from "@gatehouse/errors";
import { defineOperation } from "./operation.ts";
import { endpoint } from "./shared-arguments.ts";

export const deleteEndpoint = defineOperation({
  name: "svc_delete_endpoint",
  description: "Deletes an endpoint.",
  arguments: { endpoint },
  async run(args, { endpoints, guardrail }) {
    const deleted = await endpoints.ofEndpoint(args.endpoint, (owner, uuid) => owner.delete(uuid));
    // After the endpoint, which must never be reachable without its policy.
    await ignoreUnavailable(guardrail.deleteEndpoint({ endpointUuid: String(deleted["uuid"]) }));
    return { ...deleted, deleted: true };
  },
});

/** A policy that is left behind does nothing, and goes with its project. */
async function ignoreUnavailable(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (err) {
    if (!isGatewayError(err) || (err.code !== "unavailable" && err.code !== "deadline_exceeded")) throw err;
  }
}

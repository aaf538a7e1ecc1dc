import { isGatewayError } from "@gatehouse/errors";
import { changeEndpoint } from "./change-endpoint.ts";
import { defineOperation } from "./operation.ts";
import { endpoint } from "./shared-arguments.ts";

export const deleteEndpoint = defineOperation({
  name: "svc_delete_endpoint",
  description: "Deletes an endpoint.",
  arguments: { endpoint },
  async run(args, context) {
    const deleted = await changeEndpoint(args.endpoint, context, ({ owner, uuid, options }) =>
      owner.delete(uuid, options),
    );
    // After the endpoint, which must never be reachable without its policy.
    await ignoreUnavailable(context.guardrail.deleteEndpoint({ endpointUuid: String(deleted["uuid"]) }));
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

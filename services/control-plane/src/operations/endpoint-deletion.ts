import type { Operation } from "./operation.ts";

const deletion = "svc_delete_endpoint";

/** Deletes other owners' data of an endpoint after the endpoint, which must never be reachable without its policy. */
export function withEndpointDeletion(operation: Operation): Operation {
  if (operation.name !== deletion) return operation;
  return {
    ...operation,
    async call(given, context, key) {
      const result = await operation.call(given, context, key);
      await context.federation.deleteEndpoint(String(result["uuid"]));
      return result;
    },
  };
}

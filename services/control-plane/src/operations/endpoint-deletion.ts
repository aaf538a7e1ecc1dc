import type { Operation } from "./operation.ts";

const deletion = "svc_delete_endpoint";

/** Has the other owners remove what they keep of a deleted endpoint: afterwards, since it must never be reachable without its policy. */
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

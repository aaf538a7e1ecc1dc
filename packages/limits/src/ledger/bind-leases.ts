import { AllowanceServiceDefinition, type LeaseResponse } from "@gatehouse/proto/chat-calls";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import { fromLeaseRequest } from "../messages.ts";
import type { WindowStore } from "./windows.ts";

/** Serves leases of rate-limit windows to other services, from the ledger's tables. */
export function bindLeases(renew: WindowStore["renew"]): RpcBinding<typeof AllowanceServiceDefinition> {
  return bindRpc(AllowanceServiceDefinition, {
    async lease(request): Promise<LeaseResponse> {
      const { grants, databaseMs } = await renew(fromLeaseRequest(request));
      return { grants: [...grants], databaseMs };
    },
  });
}

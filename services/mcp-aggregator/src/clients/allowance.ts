import type { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import { isUnlimited, toPrincipalMessage } from "@gatehouse/principal";
import type { RpcClient } from "@gatehouse/rpc";
import type { McpRequest } from "../domain/gateway.ts";

/** The rate limits, which the chat service keeps. */
export type AllowanceClient = RpcClient<typeof AllowanceServiceDefinition>;

/** Counts a call; one that nothing limits is not asked about. @throws GatewayError `rate_limited` */
export function createAdmit(allowance: AllowanceClient): (request: McpRequest) => Promise<void> {
  return async ({ principal, signal }) => {
    if (isUnlimited(principal)) return;
    await allowance.admit({ principal: toPrincipalMessage(principal) }, { signal });
  };
}

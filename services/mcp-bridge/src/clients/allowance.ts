import { isUnlimited, toPrincipalMessage } from "@gatehouse/principal";
import type { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import type { RpcClient } from "@gatehouse/rpc";
import type { AdmitList } from "../domain/bridge-server.ts";

/** The rate limits, which the chat service keeps. */
export type AllowanceClient = RpcClient<typeof AllowanceServiceDefinition>;

/** Counts a list; one that nothing limits is not asked about. */
export function createAdmitList(allowance: AllowanceClient, timeoutMs: number): AdmitList {
  return async ({ principal, signal }) => {
    if (isUnlimited(principal)) return;
    await allowance.admit({ principal: toPrincipalMessage(principal) }, { signal, deadline: timeoutMs });
  };
}

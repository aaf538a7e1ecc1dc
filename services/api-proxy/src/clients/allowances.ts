import { type TokenPrincipal, toPrincipalMessage } from "@gatehouse/principal";
import type { AllowanceServiceDefinition } from "@gatehouse/proto/chat-calls";
import type { Principal } from "@gatehouse/proto/principal";
import type { RpcClient } from "@gatehouse/rpc";
import type { Admit } from "../domain/rate-limits.ts";

/** The ledger of rate limits, in this process or another. */
export type AllowanceClient = RpcClient<typeof AllowanceServiceDefinition>;

/** Asks the ledger about a request; each question ends within `timeoutMs`. */
export function createAdmit(client: AllowanceClient, timeoutMs: number): Admit {
  const messages = new WeakMap<TokenPrincipal, Principal>();
  return async (principal) => {
    const message = messages.get(principal) ?? toPrincipalMessage(principal);
    messages.set(principal, message);
    const { tightest } = await client.admit({ principal: message }, { deadline: timeoutMs });
    return tightest;
  };
}

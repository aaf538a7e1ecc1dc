import { LogbookServiceDefinition } from "@gatehouse/proto/logbook";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { QueryContext } from "./context.ts";
import { handleQueryAuditLog } from "./query-audit-log.ts";
import { handleQueryGatewayLog } from "./query-gateway-log.ts";
import { handleVerifyAuditChain } from "./verify-audit-chain.ts";

export function bindLogbook(context: QueryContext): RpcBinding<typeof LogbookServiceDefinition> {
  return bindRpc(LogbookServiceDefinition, {
    queryGatewayLog: async (request) => await handleQueryGatewayLog(context, request),
    queryAuditLog: async (request) => await handleQueryAuditLog(context, request),
    verifyAuditChain: async (request) => await handleVerifyAuditChain(context, request),
  });
}

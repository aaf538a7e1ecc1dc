import {
  type AuditLogEntry,
  type ChainFault,
  type GatewayLogEntry,
  LogbookServiceDefinition,
  type QueryAuditLogRequest,
  type QueryGatewayLogRequest,
} from "@gatehouse/proto/logbook";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";

export interface FakeLogbook {
  readonly binding: RpcBinding<typeof LogbookServiceDefinition>;
  /** The questions that were asked. */
  readonly asked: (QueryGatewayLogRequest | QueryAuditLogRequest)[];
  /** What is answered, whatever is asked. */
  requests: readonly GatewayLogEntry[];
  changes: readonly AuditLogEntry[];
  nextCursor: string;
  /** Of the walk through all chains; one chain alone is empty. */
  faults: readonly ChainFault[];
}

/** A logbook that answers what it is told. */
export function createFakeLogbook(): FakeLogbook {
  const fake: FakeLogbook = {
    binding: bindRpc(LogbookServiceDefinition, {
      async queryGatewayLog(request) {
        fake.asked.push(request);
        return await Promise.resolve({ entries: [...fake.requests], nextCursor: fake.nextCursor });
      },
      async queryAuditLog(request) {
        fake.asked.push(request);
        return await Promise.resolve({ entries: [...fake.changes], nextCursor: fake.nextCursor });
      },
      async verifyAuditChain({ projectUuid }) {
        const isAll = projectUuid === "";
        const answer = { rows: isAll ? 10 : 0, chains: isAll ? 2 : 0, faults: isAll ? [...fake.faults] : [] };
        return await Promise.resolve(answer);
      },
    }),
    asked: [],
    requests: [],
    changes: [],
    nextCursor: "",
    faults: [],
  };
  return fake;
}

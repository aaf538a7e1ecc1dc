import type { VerifyAuditChainRequest, VerifyAuditChainResponse } from "@gatehouse/proto/logbook";
import { verifyChains } from "../domain/verify-chains.ts";
import { readChains, readHeads } from "../store/audit-chains.ts";
import type { QueryContext } from "./context.ts";
import { projectFilter } from "./range.ts";

/** Walks all rows; a million takes some seconds. @throws GatewayError `invalid_argument` naming the field. */
export async function handleVerifyAuditChain(
  { database, checkpoints }: QueryContext,
  { projectUuid }: VerifyAuditChainRequest,
): Promise<VerifyAuditChainResponse> {
  const chain = projectFilter(projectUuid);
  const { latest, unsigned } = await checkpoints.read();
  const isAsked = ([name]: readonly [string, unknown]) => chain === undefined || name === chain;
  const heads = await readHeads(database, chain);
  const { rows, chains, faults } = await verifyChains({
    rows: readChains(database, chain),
    heads,
    checkpoints: new Map([...latest].filter(isAsked)),
  });
  const found = faults.map(({ chain: uuid, ...fault }) => ({ projectUuid: uuid, ...fault }));
  return { rows, chains, faults: unsigned === 0 ? found : [...found, unsignedFault(unsigned)] };
}

/** Of a checkpoint that is not ours nothing can be trusted, not even its chain. */
function unsignedFault(count: number) {
  const detail = `${count} lines of the checkpoint file have no valid signature: they, or the key, were changed`;
  return { projectUuid: "", sequence: 0, kind: "edited", detail };
}

import type { ChainedRecord, ChainHead } from "../domain/audit-record.ts";
import { ChainCheck, type ChainFault, type Witness } from "../domain/chain-check.ts";

interface VerifyInput {
  /** Rows chain by chain, in the order of their sequence. */
  readonly rows: AsyncIterable<readonly ChainedRecord[]>;
  /** Of each chain, read before the rows, so that rows that are added meanwhile do no harm. */
  readonly heads: ReadonlyMap<string, ChainHead>;
  readonly checkpoints: ReadonlyMap<string, ChainHead>;
}

export interface Verification {
  readonly rows: number;
  readonly chains: number;
  /** The first fault of each chain that has one, up to a bound. */
  readonly faults: readonly ChainFault[];
}

/** Faults that are named. */
const faultsMax = 100;

/** Walks chains to their ends and holds them to what is known of them from elsewhere. */
export async function verifyChains({ rows, heads, checkpoints }: VerifyInput): Promise<Verification> {
  const faults: ChainFault[] = [];
  const seen = new Set<string>();
  let count = 0;
  let current: { readonly chain: string; readonly check: ChainCheck } | undefined;

  const open = (chain: string) => {
    seen.add(chain);
    return { chain, check: new ChainCheck(chain, witnessesOf(chain, heads, checkpoints)) };
  };
  const close = (check: ChainCheck | undefined) => {
    const fault = check?.end();
    if (fault !== undefined && faults.length < faultsMax) faults.push(fault);
  };

  for await (const batch of rows) {
    for (const row of batch) {
      if (row.chain !== current?.chain) {
        close(current?.check);
        current = open(row.chain);
      }
      current.check.take(row);
    }
    count += batch.length;
  }
  close(current?.check);
  // Chains of which no row is left.
  for (const chain of [...heads.keys(), ...checkpoints.keys()]) if (!seen.has(chain)) close(open(chain).check);
  return { rows: count, chains: seen.size, faults };
}

function witnessesOf(
  chain: string,
  heads: VerifyInput["heads"],
  checkpoints: VerifyInput["checkpoints"],
): readonly Witness[] {
  const [checkpoint, head] = [checkpoints.get(chain), heads.get(chain)];
  return [
    ...(checkpoint === undefined ? [] : [{ ...checkpoint, source: "a signed checkpoint" }]),
    ...(head === undefined || head.sequence === 0 ? [] : [{ ...head, source: "the chain's head" }]),
  ];
}

import type { ChainedRecord, ChainHead } from "../domain/audit-record.ts";
import { ChainCheck, type ChainFault, type ChainPlace, type Witness } from "../domain/chain-check.ts";
import type { VerifyPlace } from "../domain/verify-cursor.ts";

interface VerifyInput {
  /** Rows chain by chain, in the order of their sequence; those after `from` where it is given. */
  readonly rows: AsyncIterable<readonly ChainedRecord[]>;
  /** Head of each chain, read before the rows, so that rows that are added meanwhile do no harm. */
  readonly heads: ReadonlyMap<string, ChainHead>;
  /** All that were signed, by chain: one that was signed after a rewrite of the chain says nothing of those before it. */
  readonly checkpoints: ReadonlyMap<string, readonly ChainHead[]>;
  readonly from?: VerifyPlace | undefined;
  /** Asked after each batch of rows: whether the rest is left to another part. */
  readonly mayStop?: () => boolean;
}

/** Size and faults of the chains that were walked. */
export interface Verification {
  readonly rows: number;
  /** Chains that were begun. */
  readonly chains: number;
  /** The first fault of each chain that has one, up to a bound. */
  readonly faults: readonly ChainFault[];
  /** Undefined where nothing is left. */
  readonly next: VerifyPlace | undefined;
}

/** Faults that are named. */
const faultsMax = 100;

interface OpenChain {
  readonly chain: string;
  readonly check: ChainCheck;
}

/** Walks chains to their ends and compares them with facts from other sources, such as checkpoints. */
export async function verifyChains({ rows, from, mayStop, ...known }: VerifyInput): Promise<Verification> {
  const faults: ChainFault[] = [];
  const begun = new Set<string>();
  let count = 0;
  let current: OpenChain | undefined = from && openChain(from.chain, known, from);

  const begin = (chain: string) => {
    begun.add(chain);
    return openChain(chain, known);
  };
  const name = (fault: ChainFault | undefined) => {
    if (fault !== undefined && faults.length < faultsMax) faults.push(fault);
  };
  /** Reports chains without any row left, among the chains that this part has passed in their order. */
  const closeEmpty = (until?: string) => {
    for (const chain of [...known.heads.keys(), ...known.checkpoints.keys()]) {
      const isPassed = (from === undefined || chain > from.chain) && (until === undefined || chain < until);
      if (isPassed && !begun.has(chain)) name(begin(chain).check.end());
    }
  };

  for await (const batch of rows) {
    for (const row of batch) {
      if (row.chain !== current?.chain) {
        name(current?.check.end());
        current = begin(row.chain);
      }
      current.check.take(row);
    }
    count += batch.length;
    if (current === undefined || mayStop?.() !== true) continue;
    name(current.check.fault);
    closeEmpty(current.chain);
    return { rows: count, chains: begun.size, faults, next: { chain: current.chain, ...current.check.place } };
  }
  name(current?.check.end());
  closeEmpty();
  return { rows: count, chains: begun.size, faults, next: undefined };
}

type Known = Pick<VerifyInput, "heads" | "checkpoints">;

function openChain(chain: string, known: Known, place?: ChainPlace): OpenChain {
  return { chain, check: new ChainCheck(chain, witnessesOf(chain, known), place) };
}

function witnessesOf(chain: string, { heads, checkpoints }: Known): readonly Witness[] {
  const head = heads.get(chain);
  return [
    ...(checkpoints.get(chain) ?? []).map(toWitness),
    ...(head === undefined || head.sequence === 0 ? [] : [{ ...head, source: "the chain's head" }]),
  ];
}

function toWitness({ sequence, hash }: ChainHead): Witness {
  return { sequence, hash, source: "a signed checkpoint" };
}

interface Walk {
  /** The chain's rows after a sequence number, in their order. */
  readonly readAfter: (sequence: number) => AsyncIterable<readonly ChainedRecord[]>;
  readonly stopping: AbortSignal;
}

/** Whether the rows of a chain lead through all of its checkpoints, from the first to the last. @throws when the stop comes */
export async function leadsThrough(
  chain: string,
  checkpoints: readonly ChainHead[],
  { readAfter, stopping }: Walk,
): Promise<boolean> {
  const inOrder = checkpoints.toSorted((one, other) => one.sequence - other.sequence);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  if (first === undefined || last === undefined) return true;
  const place = { sequence: first.sequence, hash: first.hash, isFaulty: false };
  const check = new ChainCheck(chain, inOrder.map(toWitness), place);
  for await (const rows of readAfter(first.sequence)) {
    stopping.throwIfAborted();
    for (const row of rows) if (row.sequence <= last.sequence) check.take(row);
    if (check.fault !== undefined || check.place.sequence >= last.sequence) break;
  }
  return check.end() === undefined;
}

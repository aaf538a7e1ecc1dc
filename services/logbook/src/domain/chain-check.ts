import { type ChainedRecord, chainHash, type ChainHead, emptyHead, genesisHash } from "./audit-record.ts";

type FaultKind = "edited" | "missing" | "cut";

/** The first row of a chain that does not fit. */
export interface ChainFault {
  readonly chain: string;
  readonly sequence: number;
  readonly kind: FaultKind;
  readonly detail: string;
}

/** A row that a chain must have, with its hash, as a signed checkpoint has it. */
export interface Witness extends ChainHead {
  /** Source of the witness, for people. */
  readonly source: string;
}

/** Progress of a check of a chain: the latest row that was checked, and whether a fault was reported already. */
export interface ChainPlace extends ChainHead {
  readonly isFaulty: boolean;
}

const beginning: ChainPlace = { ...emptyHead, isFaulty: false };

/** Walks one chain, from its first row or from where an earlier check has stopped. After its first fault it only counts. */
export class ChainCheck {
  readonly #chain: string;
  readonly #witnesses: ReadonlyMap<number, readonly Witness[]>;
  readonly #wasFaulty: boolean;
  #last: ChainHead;
  #fault: ChainFault | undefined;

  constructor(chain: string, witnesses: readonly Witness[], { isFaulty, ...last }: ChainPlace = beginning) {
    this.#chain = chain;
    this.#witnesses = Map.groupBy(witnesses, ({ sequence }) => sequence);
    this.#wasFaulty = isFaulty;
    this.#last = last;
    // A row that an earlier part has taken may be named by a checkpoint that was signed since.
    if (!isFaulty && last.sequence > 0) this.#fault = this.#contradicted(last);
  }

  /** The fault that was found so far. */
  get fault(): ChainFault | undefined {
    return this.#fault;
  }

  get place(): ChainPlace {
    return { ...this.#last, isFaulty: this.#wasFaulty || this.#fault !== undefined };
  }

  /** Takes the next row, in the order of the sequence. */
  take(row: ChainedRecord): void {
    if (!this.#wasFaulty) this.#fault ??= this.#judge(row);
    this.#last = { sequence: row.sequence, hash: row.hash };
  }

  /** The chain's fault, if it has one, when all its rows have been taken. */
  end(): ChainFault | undefined {
    if (this.#fault !== undefined || this.#wasFaulty) return this.#fault;
    const { sequence } = this.#last;
    const beyond = [...this.#witnesses.values()].flat().find((witness) => witness.sequence > sequence);
    if (beyond === undefined) return undefined;
    return this.#found(
      sequence + 1,
      "cut",
      `the chain ends before row ${beyond.sequence}, which ${beyond.source} names`,
    );
  }

  #judge(row: ChainedRecord): ChainFault | undefined {
    const last = this.#last;
    if (row.sequence !== last.sequence + 1) return this.#found(last.sequence + 1, "missing", "the row is not there");
    if (chainHash(row) !== row.hash)
      return this.#found(row.sequence, "edited", "the row's content does not match its hash");
    if (row.prevHash !== last.hash) {
      const edited = last.hash === genesisHash ? row.sequence : last.sequence;
      return this.#found(edited, "edited", `row ${row.sequence} was chained to another row`);
    }
    return this.#contradicted(row);
  }

  #contradicted({ sequence, hash }: ChainHead): ChainFault | undefined {
    const witness = this.#witnesses.get(sequence)?.find((known) => known.hash !== hash);
    if (witness === undefined) return undefined;
    return this.#found(sequence, "edited", `this row, or one before, is not the one that ${witness.source} names`);
  }

  #found(sequence: number, kind: FaultKind, detail: string): ChainFault {
    return { chain: this.#chain, sequence, kind, detail };
  }
}

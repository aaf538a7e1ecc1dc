/** Latin letters are looked up without hashing: at a base and their last five bits. */
export const latinFirst = 0x60;
/** Places behind a base. */
export const latinCount = 1 << 5;
/** Stands before a free slot, and before the root. */
const free = 0xffff;
const noSlot = 0xfffe;
/** Slots that there may be. */
const slotsMax = 0x8000;
const nothing: TrieNode = { children: new Map(), end: 0 };

/** A state of a trie while it is built. */
export interface TrieNode {
  readonly children: ReadonlyMap<number, number>;
  readonly end: number;
}

/**
 * A trie of Latin letters in little memory: a state's edges lie in the gaps between those of others (Aoe's double array), and a chain of
 * states without a branch is the text of its letters. A table of all edges is five times as large as the processor's second cache.
 */
export class StemTrie {
  /** Two numbers a slot. First the base of its edges, and the slot before it. Then the end of a stem, and the place of its chain. */
  readonly slots: Int32Array;
  /** Per chain: number of letters, end of the stem behind them, letters. No chain is at 0. */
  readonly chains: Uint16Array;
  /** By slot: number of the state that it was made of. */
  readonly states: Uint16Array;

  /** @param nodes states with their edges, the first as the root */
  constructor(nodes: readonly TrieNode[]) {
    const slots = new Int32Array((slotsMax + latinCount) * 2).fill(free);
    const states = new Uint16Array(slotsMax + latinCount);
    const chains: number[] = [0];
    const waiting = [0];
    let lowest = 1;
    slots[0] = noSlot;
    for (const slot of waiting) {
      const node = nodes[states[slot] ?? 0] ?? nothing;
      const chain = slot === 0 ? undefined : chainFrom(nodes, node);
      slots[slot * 2 + 1] = (node.end & 0xffff) | ((chain === undefined ? 0 : chains.length) << 16);
      if (chain !== undefined) {
        chains.push(chain.letters.length, chain.end & 0xffff, ...chain.letters);
        continue;
      }
      const edges = [...node.children].filter(([code]) => (code ^ latinFirst) < latinCount);
      if (edges.length === 0) continue;
      const letters = Uint8Array.from(edges, ([code]) => code ^ latinFirst);
      while (slots[lowest * 2] !== free) lowest += 1;
      const base = freeBase(slots, letters, lowest);
      slots[slot * 2] = ((slots[slot * 2] ?? 0) & 0xffff) | (base << 16);
      for (const [code, state] of edges) {
        const next = base + (code ^ latinFirst);
        slots[next * 2] = slot;
        states[next] = state;
        waiting.push(next);
      }
    }
    const used = Math.max(...waiting) + 1 + latinCount;
    if (used > slotsMax || chains.length > 0xffff)
      throw new Error("The lexicon has more stems than its trie can hold.");
    this.slots = slots.slice(0, used * 2);
    this.chains = Uint16Array.from(chains);
    this.states = states.slice(0, used);
  }
}

/** The first base at which the places of all letters are free; all slots before `lowest` are taken. */
function freeBase(slots: Int32Array, letters: Uint8Array, lowest: number): number {
  for (let base = Math.max(1, lowest - Math.min(...letters)); base < slotsMax; base += 1) {
    let isFree = true;
    for (let at = 0; at < letters.length && isFree; at += 1) isFree = slots[(base + (letters[at] ?? 0)) * 2] === free;
    if (isFree) return base;
  }
  return slotsMax;
}

/** The letters to the only stem behind a state, where there is one and nothing branches on the way. */
function chainFrom(
  nodes: readonly TrieNode[],
  from: TrieNode,
): { letters: readonly number[]; end: number } | undefined {
  const letters: number[] = [];
  for (let node = from; ;) {
    if (node !== from && node.end !== 0) return node.children.size === 0 ? { letters, end: node.end } : undefined;
    if (node.children.size !== 1) return undefined;
    for (const [code, state] of node.children) {
      const next = nodes[state];
      if (next === undefined) return undefined;
      letters.push(code);
      node = next;
    }
  }
}

import { EdgeTable } from "../edge-table.ts";

/** Aho-Corasick automaton over UTF-16 units: all patterns in one pass, whatever their number. */
export interface Automaton {
  readonly edges: EdgeTable;
  /** State to fall back to when a unit does not continue. */
  readonly fails: Int32Array;
  /** Pattern that ends in a state, or -1. */
  readonly ends: Int32Array;
  /** Next state on the fall-back chain in which a pattern ends, or 0. */
  readonly nextEnds: Int32Array;
}

/** Builds the automaton. Of equal patterns the first keeps its place. Empty patterns are ignored. */
export function buildAutomaton(patterns: readonly Uint16Array[]): Automaton {
  const edges = new EdgeTable();
  const endsOf = new Map<number, number>();
  const parents: number[] = [0];
  const symbols: number[] = [0];
  for (const [number, pattern] of patterns.entries()) {
    let state = 0;
    for (const symbol of pattern) {
      const known = edges.stateCount;
      const next = edges.extend(state, symbol);
      if (next === known) {
        parents.push(state);
        symbols.push(symbol);
      }
      state = next;
    }
    if (state !== 0 && !endsOf.has(state)) endsOf.set(state, number);
  }
  return linkFailures(edges, { parents, symbols, endsOf });
}

interface Trie {
  readonly parents: readonly number[];
  readonly symbols: readonly number[];
  readonly endsOf: ReadonlyMap<number, number>;
}

function linkFailures(edges: EdgeTable, trie: Trie): Automaton {
  const count = edges.stateCount;
  const fails = new Int32Array(count);
  const ends = new Int32Array(count).fill(-1);
  const nextEnds = new Int32Array(count);
  for (const [state, number] of trie.endsOf) ends[state] = number;
  for (const state of statesByDepth(trie.parents)) {
    const parent = trie.parents[state] ?? 0;
    const symbol = trie.symbols[state] ?? 0;
    let fallback = 0;
    if (parent !== 0) {
      let candidate = fails[parent] ?? 0;
      while (candidate !== 0 && edges.next(candidate, symbol) === -1) candidate = fails[candidate] ?? 0;
      fallback = Math.max(0, edges.next(candidate, symbol));
    }
    fails[state] = fallback;
    nextEnds[state] = (ends[fallback] ?? -1) === -1 ? (nextEnds[fallback] ?? 0) : fallback;
  }
  return { edges, fails, ends, nextEnds };
}

/** States other than the root, shallow ones first. A parent always has a lower number than its child. */
function statesByDepth(parents: readonly number[]): number[] {
  const depths = new Int32Array(parents.length);
  for (let state = 1; state < parents.length; state += 1) depths[state] = (depths[parents[state] ?? 0] ?? 0) + 1;
  const order = parents.map((_, state) => state).slice(1);
  return order.sort((left, right) => (depths[left] ?? 0) - (depths[right] ?? 0));
}

/** The state after one more unit. Amortised constant time over a text. */
export function step(automaton: Automaton, from: number, symbol: number): number {
  let state = from;
  for (;;) {
    const next = automaton.edges.next(state, symbol);
    if (next !== -1) return next;
    if (state === 0) return 0;
    state = automaton.fails[state] ?? 0;
  }
}

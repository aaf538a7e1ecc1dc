/** State transitions of an automaton: (state, symbol) to state, in open-addressed typed arrays. State 0 is the root. */
export class EdgeTable {
  stateCount = 1;
  /** Edges of the root, which most look-ups ask for, by symbol; 0 means none, for no edge leads back to the root. */
  private readonly rootEdges = new Int32Array(0x1_0000);
  /** Three numbers a slot: from (or -1), symbol, to. Side by side, so that a look-up touches one cache line. */
  private slots = new Int32Array(64 * 3).fill(-1);
  private edgeCount = 0;
  private mask = 63;

  /** The state after `symbol`, or -1. Constant time. */
  next(state: number, symbol: number): number {
    if (state === 0) return (this.rootEdges[symbol] ?? 0) || -1;
    const { slots, mask } = this;
    let slot = slotOf(state, symbol) & mask;
    for (;;) {
      const from = slots[slot * 3] ?? -1;
      if (from === -1) return -1;
      if (from === state && slots[slot * 3 + 1] === symbol) return slots[slot * 3 + 2] ?? -1;
      slot = (slot + 1) & mask;
    }
  }

  /** The state after `symbol`, made when absent. */
  extend(state: number, symbol: number): number {
    const known = this.next(state, symbol);
    if (known !== -1) return known;
    if (this.edgeCount * 2 >= this.mask) this.grow();
    const created = this.stateCount;
    this.stateCount += 1;
    if (state === 0) this.rootEdges[symbol] = created;
    else this.insert(state, symbol, created);
    return created;
  }

  private insert(state: number, symbol: number, target: number): void {
    let slot = slotOf(state, symbol) & this.mask;
    while (this.slots[slot * 3] !== -1) slot = (slot + 1) & this.mask;
    this.slots[slot * 3] = state;
    this.slots[slot * 3 + 1] = symbol;
    this.slots[slot * 3 + 2] = target;
    this.edgeCount += 1;
  }

  private grow(): void {
    const old = this.slots;
    const size = (this.mask + 1) * 2;
    this.slots = new Int32Array(size * 3).fill(-1);
    this.mask = size - 1;
    this.edgeCount = 0;
    for (let at = 0; at < old.length; at += 3) {
      const state = old[at] ?? -1;
      if (state !== -1) this.insert(state, old[at + 1] ?? 0, old[at + 2] ?? 0);
    }
  }
}

function slotOf(state: number, symbol: number): number {
  const mixed = Math.imul(state, 0x9e37_79b1) ^ Math.imul(symbol + 1, 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

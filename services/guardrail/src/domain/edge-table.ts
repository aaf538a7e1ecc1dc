/** State transitions of an automaton: (state, symbol) to state, in open-addressed typed arrays. State 0 is the root. */
export class EdgeTable {
  stateCount = 1;
  private from = new Int32Array(64).fill(-1);
  private symbols = new Uint16Array(64);
  private to = new Int32Array(64);
  private edgeCount = 0;
  private mask = 63;

  /** The state after `symbol`, or -1. Constant time. */
  next(state: number, symbol: number): number {
    let slot = slotOf(state, symbol) & this.mask;
    for (;;) {
      const from = this.from[slot] ?? -1;
      if (from === -1) return -1;
      if (from === state && this.symbols[slot] === symbol) return this.to[slot] ?? -1;
      slot = (slot + 1) & this.mask;
    }
  }

  /** The state after `symbol`, made when absent. */
  extend(state: number, symbol: number): number {
    const known = this.next(state, symbol);
    if (known !== -1) return known;
    if (this.edgeCount * 2 >= this.mask) this.grow();
    const created = this.stateCount;
    this.stateCount += 1;
    this.insert(state, symbol, created);
    return created;
  }

  private insert(state: number, symbol: number, target: number): void {
    let slot = slotOf(state, symbol) & this.mask;
    while (this.from[slot] !== -1) slot = (slot + 1) & this.mask;
    this.from[slot] = state;
    this.symbols[slot] = symbol;
    this.to[slot] = target;
    this.edgeCount += 1;
  }

  private grow(): void {
    const { from, symbols, to } = this;
    const size = (this.mask + 1) * 2;
    this.from = new Int32Array(size).fill(-1);
    this.symbols = new Uint16Array(size);
    this.to = new Int32Array(size);
    this.mask = size - 1;
    this.edgeCount = 0;
    for (let slot = 0; slot < from.length; slot += 1) {
      const state = from[slot] ?? -1;
      if (state !== -1) this.insert(state, symbols[slot] ?? 0, to[slot] ?? 0);
    }
  }
}

function slotOf(state: number, symbol: number): number {
  const mixed = Math.imul(state, 0x9e37_79b1) ^ Math.imul(symbol + 1, 0x85eb_ca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

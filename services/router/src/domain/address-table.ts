import { BoundedCache } from "@gatehouse/bounded-cache";

/** For a bounded number of addresses; evicts the least recently used. */
export class AddressTable<State extends object> {
  readonly #states: BoundedCache<string, State>;
  readonly #create: () => State;

  constructor(addressesMax: number, create: () => State) {
    this.#states = new BoundedCache(addressesMax);
    this.#create = create;
  }

  get(addressKey: string): State {
    const known = this.#states.get(addressKey);
    if (known !== undefined) return known;
    const state = this.#create();
    this.#states.set(addressKey, state);
    return state;
  }
}

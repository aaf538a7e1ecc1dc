import { addressKey } from "./client.ts";

/** Bounds of one window: entries per address and in total, addresses counted separately, and addresses named in the summary. */
interface SampleBounds {
  readonly perAddressMax: number;
  readonly recordedMax: number;
  readonly addressesMax: number;
  readonly namedMax: number;
}

interface Unrecorded {
  /** Undefined: the total of all unnamed addresses. */
  readonly address: string | undefined;
  readonly requests: number;
}

interface Counts {
  recorded: number;
  unrecorded: number;
}

/** Selects the requests without a known caller that get an entry, and counts the others. `drain` starts the next window. */
export class UnauthenticatedSample {
  readonly #bounds: SampleBounds;
  readonly #addresses = new Map<string, Counts>();
  #ofOthers = 0;
  #recorded = 0;

  constructor(bounds: SampleBounds) {
    this.#bounds = bounds;
  }

  /** Whether this request gets an entry; otherwise it is counted. An IPv6 network counts as one address. */
  record(ipAddress: string): boolean {
    const counts = this.#countsOf(addressKey(ipAddress));
    if (counts === undefined) {
      this.#ofOthers += 1;
      return false;
    }
    const isRecorded = counts.recorded < this.#bounds.perAddressMax && this.#recorded < this.#bounds.recordedMax;
    if (isRecorded) {
      counts.recorded += 1;
      this.#recorded += 1;
    } else counts.unrecorded += 1;
    return isRecorded;
  }

  drain(): readonly Unrecorded[] {
    const counted = [...this.#addresses].map(([address, { unrecorded }]) => ({ address, requests: unrecorded }));
    const rows = counted.filter(({ requests }) => requests > 0).toSorted((one, other) => other.requests - one.requests);
    const named = rows.slice(0, this.#bounds.namedMax);
    const others = rows.slice(named.length).reduce((sum, { requests }) => sum + requests, this.#ofOthers);
    this.#addresses.clear();
    this.#ofOthers = 0;
    this.#recorded = 0;
    return others === 0 ? named : [...named, { address: undefined, requests: others }];
  }

  #countsOf(address: string): Counts | undefined {
    const known = this.#addresses.get(address);
    if (known !== undefined || this.#addresses.size >= this.#bounds.addressesMax) return known;
    const counts = { recorded: 0, unrecorded: 0 };
    this.#addresses.set(address, counts);
    return counts;
  }
}

import { hashesOf, type Listing } from "../domain/listing.ts";
import { ShownChanges, type ShownTool } from "../domain/shown-changes.ts";
import type { ToolPin } from "../domain/tool-pins.ts";
import { ChangeBudget } from "./change-budget.ts";

/** Interval at which unchanged tools are stored, so that their age survives a restart. */
const keepUnchangedMs = 10 * 60_000;

type Pins = ReadonlyMap<string, ToolPin>;

interface ListingKeeperOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /**
   * Stores a listing, compares it and the definitions shown before it with the approved ones, and returns these. Never rejects;
   * undefined: not stored.
   */
  readonly keep: (listing: Listing, shown: readonly ShownTool[]) => Promise<Pins | undefined>;
  readonly onKept: (pins: Pins) => void;
}

/** A listing with its hashes. */
interface Offered {
  readonly listing: Listing;
  readonly hashes: string;
}

/**
 * Stores the listings of one upstream in the background, one at a time and within a {@link ChangeBudget}. Changes that are held
 * back are named when the next listing is stored.
 */
export class ListingKeeper {
  readonly #options: ListingKeeperOptions;
  readonly #budget = new ChangeBudget();
  readonly #shownChanges = new ShownChanges();
  #latest: Offered | undefined;
  #keeping: Promise<void> = Promise.resolve();
  #isKeeping = false;
  #keptAtMs = Number.NEGATIVE_INFINITY;
  #keptHashes = "";

  constructor(options: ListingKeeperOptions) {
    this.#options = options;
  }

  /** Takes note of the listing that is stored already. @param atMs time of its storing, monotonic milliseconds */
  begin(listing: Listing, atMs: number): void {
    this.#keptHashes = hashesOf(listing);
    this.#keptAtMs = atMs;
  }

  /** Takes a new listing, and stores it if that is due. @param pins as known before it */
  offer(listing: Listing, pins: Pins): void {
    const hashes = listing === this.#latest?.listing ? this.#latest.hashes : hashesOf(listing);
    this.#latest = { listing, hashes };
    const isUnchanged = hashes === this.#keptHashes;
    if (!isUnchanged) this.#shownChanges.add(listing.tools, pins);
    if (this.#isKeeping) return;
    const nowMs = this.#options.now();
    const isDue =
      isUnchanged && this.#shownChanges.isEmpty ? nowMs - this.#keptAtMs >= keepUnchangedMs : this.#budget.take(nowMs);
    if (isDue) this.#keeping = this.#keep(this.#latest);
  }

  /** Resolves when the present listing is stored, or could not be. */
  async settled(): Promise<void> {
    await this.#keeping;
  }

  /** Stores changes that were held back, within the budget. */
  sweep(): void {
    if (this.#isKeeping || this.#latest === undefined || this.#shownChanges.isEmpty) return;
    if (this.#budget.take(this.#options.now())) this.#keeping = this.#keep(this.#latest);
  }

  /** Stores changes that were held back, over the budget. */
  async close(): Promise<void> {
    await this.#keeping;
    if (this.#latest !== undefined && !this.#shownChanges.isEmpty) await this.#keep(this.#latest);
  }

  async #keep({ listing, hashes }: Offered): Promise<void> {
    this.#isKeeping = true;
    const shown = this.#shownChanges.take();
    const pins = await this.#options.keep(listing, shown);
    this.#isKeeping = false;
    if (pins === undefined) {
      this.#shownChanges.restore(shown);
      return;
    }
    this.#shownChanges.settle(pins);
    this.#keptAtMs = this.#options.now();
    this.#keptHashes = hashes;
    this.#options.onKept(pins);
    // A later listing that came meanwhile was left to this one.
    const latest = this.#latest;
    if (latest !== undefined && latest.hashes !== hashes && this.#budget.take(this.#options.now()))
      await this.#keep(latest);
  }
}

/** How many deliveries may be sent at once. */
export interface LaneBounds {
  /** To one webhook. */
  readonly laneWidth: number;
  /** Altogether. */
  readonly inFlightMax: number;
}

/** How many deliveries of a webhook to claim. */
export interface Allotment {
  readonly webhookId: number;
  readonly take: number;
}

/** Attempts in a row without any answer, after which a lane is narrowed to one attempt at a time until there is an answer. */
const silencesMax = 16;

interface Lane {
  inFlight: number;
  /** Whether there may be something to claim. */
  mayHaveWork: boolean;
  silences: number;
}

/**
 * A lane for each webhook, so that a slow receiver delays no other. Webhooks that never answer are narrowed, never skipped, and
 * share at most half of all places, so that many of them leave room for the others. Single-threaded; holds no time.
 */
export class Lanes {
  readonly #bounds: LaneBounds;
  readonly #lanes = new Map<number, Lane>();
  #inFlight = 0;
  #silentInFlight = 0;

  constructor(bounds: LaneBounds) {
    this.#bounds = bounds;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Something may wait for these webhooks. */
  offer(webhookIds: Iterable<number>): void {
    for (const webhookId of webhookIds) this.#lane(webhookId).mayHaveWork = true;
  }

  /**
   * Chooses deliveries to claim and takes their places: one for each lane in turn, until there are no places or no lanes left. Lanes
   * that got the least lately come first.
   */
  allot(): Allotment[] {
    const open = [...this.#lanes].filter(([, lane]) => lane.mayHaveWork && lane.inFlight < this.#widthOf(lane));
    const takes = new Map<number, number>();
    let given = true;
    while (given && this.#inFlight < this.#bounds.inFlightMax) {
      given = false;
      for (const [webhookId, lane] of open) given = this.#takePlace(webhookId, lane, takes) || given;
    }
    for (const webhookId of takes.keys()) this.#moveToEnd(webhookId);
    return [...takes].map(([webhookId, take]) => ({ webhookId, take }));
  }

  /** Gives back the places that a claim had no use for: there was less work than places. */
  returnPlaces({ webhookId, take }: Allotment, claimed: number): void {
    const lane = this.#lane(webhookId);
    if (claimed < take) lane.mayHaveWork = false;
    this.#release(webhookId, lane, take - claimed);
  }

  /** An attempt is over. @param answered whether the receiver sent anything; undefined where it was not asked. */
  end(webhookId: number, answered: boolean | undefined): void {
    const lane = this.#lane(webhookId);
    const wasSilent = isSilent(lane);
    if (answered !== undefined) lane.silences = answered ? 0 : lane.silences + 1;
    if (wasSilent !== isSilent(lane)) this.#silentInFlight += (wasSilent ? -1 : 1) * lane.inFlight;
    this.#release(webhookId, lane, 1);
  }

  #lane(webhookId: number): Lane {
    const lane = this.#lanes.get(webhookId) ?? { inFlight: 0, mayHaveWork: false, silences: 0 };
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #widthOf(lane: Lane): number {
    return isSilent(lane) ? 1 : this.#bounds.laneWidth;
  }

  #takePlace(webhookId: number, lane: Lane, takes: Map<number, number>): boolean {
    if (this.#inFlight >= this.#bounds.inFlightMax || lane.inFlight >= this.#widthOf(lane)) return false;
    if (isSilent(lane)) {
      if (this.#silentInFlight >= this.#bounds.inFlightMax / 2) return false;
      this.#silentInFlight += 1;
    }
    lane.inFlight += 1;
    this.#inFlight += 1;
    takes.set(webhookId, (takes.get(webhookId) ?? 0) + 1);
    return true;
  }

  #release(webhookId: number, lane: Lane, places: number): void {
    lane.inFlight -= places;
    this.#inFlight -= places;
    if (isSilent(lane)) this.#silentInFlight -= places;
    // A lane that says nothing any more is forgotten, so that they are bounded by what is in use.
    if (lane.inFlight === 0 && !lane.mayHaveWork && lane.silences === 0) this.#lanes.delete(webhookId);
  }

  #moveToEnd(webhookId: number): void {
    const lane = this.#lane(webhookId);
    this.#lanes.delete(webhookId);
    this.#lanes.set(webhookId, lane);
  }
}

function isSilent({ silences }: Lane): boolean {
  return silences >= silencesMax;
}

import type { Principal } from "@gatehouse/principal";

/** Amounts that open requests hold. */
export interface Amounts {
  readonly requestsInFlight: number;
  /** Bytes of request bodies held by this process, and of replies that clients have not read. */
  readonly bufferedBytes: number;
  /** Event streams and WebSockets. */
  readonly streams: number;
}

/** Name of a bounded amount, in refusals and as a label of metrics. */
export type BoundName = keyof Amounts;
/** Holder of a bound: all requests (`whole`), or those of one project, one address, or one token or admin key (`token`). */
export type HolderName = "whole" | "project" | "token" | "address";

/** Largest amounts that open requests may hold at once, by holder; computed by `toShareBounds`. */
export interface ShareBounds {
  readonly whole: Amounts;
  readonly project: Amounts;
  /** Share of one token or one admin key. */
  readonly token: Amounts;
  /** Requests of one address whose caller is unknown or was refused. */
  readonly addressRequestsInFlight: number;
}

interface SharePercents {
  readonly project: number;
  readonly token: number;
  readonly address: number;
}

/** The bound that refuses a request, and its holder. */
export interface ShareRefusal {
  readonly holder: HolderName;
  readonly bound: BoundName;
  readonly limit: number;
}

/** Every caller may have one request with the largest body, whatever its share. */
export function toShareBounds(whole: Amounts, percents: SharePercents, bodySizeBytesMax: number): ShareBounds {
  const part = (amount: number, percent: number) => Math.max(1, Math.floor((amount * percent) / 100));
  const partOf = (percent: number): Amounts => ({
    requestsInFlight: part(whole.requestsInFlight, percent),
    bufferedBytes: Math.max(bodySizeBytesMax, part(whole.bufferedBytes, percent)),
    streams: part(whole.streams, percent),
  });
  return {
    whole: { ...whole, bufferedBytes: Math.max(bodySizeBytesMax, whole.bufferedBytes) },
    project: partOf(percents.project),
    token: partOf(percents.token),
    addressRequestsInFlight: part(whole.requestsInFlight, percents.address),
  };
}

/** Open amounts of one holder. */
interface Account {
  readonly holder: HolderName;
  readonly limits: Amounts;
  requestsInFlight: number;
  bufferedBytes: number;
  streams: number;
}

/** Accounts of a kind that are kept before those with nothing open are forgotten. */
const keptMin = 1_024;

/**
 * Accounts of one kind of holder. Those with nothing open are forgotten all at once when there are twice as many accounts as were busy
 * the last time: most are needed again a moment later, and a table that changes with each request outlives it (see `ArraySet`).
 */
class Accounts {
  readonly #holder: HolderName;
  readonly #limits: Amounts;
  readonly #byName = new Map<string | number, Account>();
  #keptMax = keptMin;

  constructor(holder: HolderName, limits: Amounts) {
    this.#holder = holder;
    this.#limits = limits;
  }

  get busyCount(): number {
    let count = 0;
    for (const account of this.#byName.values()) if (account.requestsInFlight > 0) count += 1;
    return count;
  }

  get size(): number {
    return this.#byName.size;
  }

  find(name: string | number): Account {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    if (this.#byName.size >= this.#keptMax) this.#forgetUnused();
    const account = openAccount(this.#holder, this.#limits);
    this.#byName.set(name, account);
    return account;
  }

  #forgetUnused(): void {
    for (const [name, account] of this.#byName) if (account.requestsInFlight === 0) this.#byName.delete(name);
    this.#keptMax = Math.max(keptMin, 2 * this.#byName.size);
  }
}

/** Tracks the amounts that all requests, and each caller's, hold. */
export class FairShareLimiter {
  readonly #whole: Account;
  readonly #addresses: Accounts;
  readonly #projects: Accounts;
  readonly #tokens: Accounts;
  readonly #adminKeys: Accounts;

  constructor({ whole, project, token, addressRequestsInFlight }: ShareBounds) {
    this.#whole = openAccount("whole", whole);
    this.#addresses = new Accounts("address", { ...whole, requestsInFlight: addressRequestsInFlight });
    this.#projects = new Accounts("project", project);
    this.#tokens = new Accounts("token", token);
    this.#adminKeys = new Accounts("token", token);
  }

  get inUse(): Amounts {
    return this.#whole;
  }

  /** Number of callers and addresses with open requests. */
  get holders(): number {
    return this.#all.reduce((sum, { busyCount }) => sum + busyCount, 0);
  }

  /** Number of callers and addresses in memory, at most twice as many as have had open requests at once. */
  get accountCount(): number {
    return this.#all.reduce((sum, { size }) => sum + size, 0);
  }

  /** Admits a request whose caller is unknown; call `leave` on its share when the request is closed. */
  enter(addressKey: string): OpenRequestShare | ShareRefusal {
    const address = this.#addresses.find(addressKey);
    const refusal = exceeded(this.#whole, "requestsInFlight", 1) ?? exceeded(address, "requestsInFlight", 1);
    return refusal ?? new OpenRequestShare(this, this.#whole, address);
  }

  accountsOf(principal: Principal): readonly Account[] {
    if (principal.kind === "admin") return [this.#adminKeys.find(principal.adminKeyId)];
    return [this.#tokens.find(principal.tokenId), this.#projects.find(principal.project.uuid)];
  }

  get #all(): readonly Accounts[] {
    return [this.#addresses, this.#projects, this.#tokens, this.#adminKeys];
  }
}

interface Announced {
  /** Announced size of the body; unannounced bytes are added as they arrive. */
  readonly bodyBytes: number;
  /** A WebSocket. Event streams are recognised, and marked, by their replies. */
  readonly isStream: boolean;
}

/** Amounts of one request, from its headers until it is closed. */
export class OpenRequestShare {
  readonly #shares: FairShareLimiter;
  readonly #whole: Account;
  /** Accounts of its caller, or of its address while the caller is unknown. */
  #own: readonly Account[];
  #bodyBytes = 0;
  #unsentBytes = 0;
  #isStream = false;
  #hasLeft = false;

  // oxlint-disable-next-line max-params -- made by `FairShareLimiter` alone, once for each request.
  constructor(shares: FairShareLimiter, whole: Account, address: Account) {
    this.#shares = shares;
    this.#whole = whole;
    this.#own = [address];
    this.#countAll(1);
  }

  /**
   * Moves the request from its address to its caller; on a refusal it stays with the address. A caller with too many streams is
   * refused every request, since any may be answered with a stream.
   */
  identify(principal: Principal, { bodyBytes, isStream }: Announced): ShareRefusal | undefined {
    const accounts = this.#shares.accountsOf(principal);
    const refusal = firstRefusal(accounts, bodyBytes) ?? this.#refusalOfWhole(bodyBytes, isStream);
    if (refusal !== undefined) return refusal;
    this.#countAll(-1);
    this.#own = accounts;
    this.#bodyBytes += bodyBytes;
    this.#isStream ||= isStream;
    this.#countAll(1);
    return undefined;
  }

  /**
   * Counts unannounced bytes of the body, also where they are refused: they have been received. After `leave` they are the rest of a
   * body whose request has been answered, which is discarded as it comes.
   */
  receive(bytes: number): ShareRefusal | undefined {
    if (this.#hasLeft) return undefined;
    this.#bodyBytes += bytes;
    this.#add("bufferedBytes", bytes);
    return this.overdrawn();
  }

  /** Sets the number of bytes that wait for the client. */
  setUnsent(bytes: number): void {
    if (bytes === this.#unsentBytes || this.#hasLeft) return;
    this.#add("bufferedBytes", bytes - this.#unsentBytes);
    this.#unsentBytes = bytes;
  }

  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  markStream(): void {
    if (this.#isStream || this.#hasLeft) return;
    this.#isStream = true;
    this.#add("streams", 1);
  }

  /** The first exceeded bound, the caller's before the whole's: the caller can act on its own. */
  overdrawn(): ShareRefusal | undefined {
    for (const account of this.#own) {
      const refusal = exceeded(account, "bufferedBytes", 0);
      if (refusal !== undefined) return refusal;
    }
    return exceeded(this.#whole, "bufferedBytes", 0);
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#countAll(-1);
  }

  #refusalOfWhole(bodyBytes: number, isStream: boolean): ShareRefusal | undefined {
    return (
      exceeded(this.#whole, "bufferedBytes", bodyBytes) ?? (isStream ? exceeded(this.#whole, "streams", 1) : undefined)
    );
  }

  #countAll(sign: 1 | -1): void {
    this.#add("requestsInFlight", sign);
    const bytes = this.#bodyBytes + this.#unsentBytes;
    if (bytes > 0) this.#add("bufferedBytes", sign * bytes);
    if (this.#isStream) this.#add("streams", sign);
  }

  #add(bound: BoundName, amount: number): void {
    for (const account of this.#own) account[bound] += amount;
    this.#whole[bound] += amount;
  }
}

/** Type guard for the result of `FairShareLimiter.enter`. A share that is not refused must be left (`leave`). */
export function isRefused(entered: OpenRequestShare | ShareRefusal): entered is ShareRefusal {
  return !(entered instanceof OpenRequestShare);
}

function firstRefusal(accounts: readonly Account[], bodyBytes: number): ShareRefusal | undefined {
  for (const account of accounts) {
    const refusal =
      exceeded(account, "requestsInFlight", 1) ??
      exceeded(account, "streams", 1) ??
      exceeded(account, "bufferedBytes", bodyBytes);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function exceeded(account: Account, bound: BoundName, amount: number): ShareRefusal | undefined {
  const { holder, limits } = account;
  return account[bound] + amount > limits[bound] ? { holder, bound, limit: limits[bound] } : undefined;
}

function openAccount(holder: HolderName, limits: Amounts): Account {
  return { holder, limits, requestsInFlight: 0, bufferedBytes: 0, streams: 0 };
}

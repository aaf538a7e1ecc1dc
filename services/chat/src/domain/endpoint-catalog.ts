import type { CompiledEndpoint } from "./endpoint.ts";

export interface EndpointCatalogOptions {
  /** Reads an active endpoint with all that a call needs; undefined where there is none. Throws where it cannot know. */
  readonly load: (projectUuid: string, slug: string) => Promise<CompiledEndpoint | undefined>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Whether a failed load says that the store is away, so that an older answer may still be given. */
  readonly isUnavailable: (err: unknown) => boolean;
}

/** Older answers are renewed in the background when used; up to {@link staleMsMax} they are still given meanwhile. */
const renewAfterMs = 2_500;
/** The hard bound of how old an answer may be, even if every push of a change was lost. */
const staleMsMax = 5_000;
/** How old an answer may be while the store is away. */
const outageStaleMsMax = 10 * 60_000;
const entriesMax = 20_000;

interface Entry {
  readonly compiled: CompiledEndpoint | undefined;
  readonly loadedAt: number;
  loading: Promise<Entry> | undefined;
}

/** The compiled endpoints in use, kept in memory. Changes are pushed to it; without a push an answer is at most 5 s old. */
export class EndpointCatalog {
  readonly #options: EndpointCatalogOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #firstLoads = new Map<string, Promise<Entry>>();
  /** Rises with every change, so that a load that began before a change is not kept. */
  #generation = 0;

  constructor(options: EndpointCatalogOptions) {
    this.#options = options;
  }

  /** Answers without a promise where it can. Undefined: no such endpoint, or an inactive one. */
  find(projectUuid: string, slug: string): CompiledEndpoint | undefined | Promise<CompiledEndpoint | undefined> {
    const key = keyOf(projectUuid, slug);
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#first(key, projectUuid, slug);
    const age = this.#options.now() - entry.loadedAt;
    if (age < renewAfterMs) return entry.compiled;
    entry.loading ??= this.#renew(entry, projectUuid, slug);
    if (age >= staleMsMax) return entry.loading.then(({ compiled }) => compiled);
    // Nobody waits for a renewal in the background; a failed one is tried again with the next use.
    entry.loading.catch(() => {});
    return entry.compiled;
  }

  forget(projectUuid: string, slug: string): void {
    this.#generation += 1;
    this.#entries.delete(keyOf(projectUuid, slug));
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  async #first(key: string, projectUuid: string, slug: string): Promise<CompiledEndpoint | undefined> {
    const pending = this.#firstLoads.get(key) ?? this.#load(projectUuid, slug);
    this.#firstLoads.set(key, pending);
    try {
      return (await pending).compiled;
    } finally {
      if (this.#firstLoads.get(key) === pending) this.#firstLoads.delete(key);
    }
  }

  async #renew(entry: Entry, projectUuid: string, slug: string): Promise<Entry> {
    try {
      return await this.#load(projectUuid, slug);
    } catch (err) {
      entry.loading = undefined;
      const age = this.#options.now() - entry.loadedAt;
      if (age < outageStaleMsMax && this.#options.isUnavailable(err)) return entry;
      throw err;
    }
  }

  async #load(projectUuid: string, slug: string): Promise<Entry> {
    const generation = this.#generation;
    const loadedAt = this.#options.now();
    const compiled = await this.#options.load(projectUuid, slug);
    const entry: Entry = { compiled, loadedAt, loading: undefined };
    if (generation === this.#generation) this.#keep(keyOf(projectUuid, slug), entry);
    return entry;
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    if (this.#entries.size >= entriesMax) this.#dropOldest();
    this.#entries.set(key, entry);
  }

  /** A Map keeps the order of insertion; the first key is the one loaded longest ago. */
  #dropOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

function keyOf(projectUuid: string, slug: string): string {
  return `${projectUuid}/${slug}`;
}

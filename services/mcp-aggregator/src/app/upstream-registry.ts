import { FreshCache } from "@gatehouse/fresh-cache";
import type { Secret } from "@gatehouse/vault";
import type { KeptUpstream } from "../domain/listing.ts";
import type { ReachableUpstream } from "../domain/upstream.ts";
import type { UpstreamRuntime } from "./upstream-runtime.ts";

interface ProjectUpstreamsOptions {
  /** Reads a project's active upstreams, in the order of registration. */
  readonly read: (projectUuid: string) => Promise<readonly ReachableUpstream[]>;
  readonly readKept: (upstreamIds: readonly number[]) => Promise<ReadonlyMap<number, KeptUpstream>>;
  readonly create: (upstream: ReachableUpstream, kept: KeptUpstream) => UpstreamRuntime;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly isUnavailable: (err: unknown) => boolean;
}

/** Present registrations of one project. */
export interface ProjectUpstreams {
  readonly ordered: readonly UpstreamRuntime[];
  readonly byPrefix: ReadonlyMap<string, UpstreamRuntime>;
}

const closeTimeoutMs = 3_000;
/** Idle time after which an upstream is dropped from memory: its tools are stored, and its sessions closed. */
const unusedMsMax = 30 * 60_000;
/** Approximate memory for the tools of all upstreams; the least recently used projects are dropped first. */
const heldBytesMax = 512 * 1024 * 1024;

const nothingKept: KeptUpstream = { catalogue: undefined, pins: new Map() };

/**
 * Upstreams in use, by project. Registrations are reloaded when they change, at the latest after 5 s; an upstream's state
 * survives that, and its sessions end only when it is deleted or its address changes.
 */
export class UpstreamRegistry {
  readonly #options: ProjectUpstreamsOptions;
  readonly #cache: FreshCache<string, ProjectUpstreams>;
  readonly #runtimes = new Map<number, UpstreamRuntime>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: ProjectUpstreamsOptions) {
    this.#options = options;
    this.#cache = new FreshCache({
      nameOf: (projectUuid) => projectUuid,
      load: async (projectUuid, previous) => await this.#load(projectUuid, previous),
      now: options.now,
      isUnavailable: options.isUnavailable,
    });
  }

  /** Synchronous where possible. */
  find(projectUuid: string): ProjectUpstreams | Promise<ProjectUpstreams> {
    return this.#cache.find(projectUuid);
  }

  /** This replica's runtime of an upstream; undefined where it has not used it. */
  peek(upstreamId: number): UpstreamRuntime | undefined {
    return this.#runtimes.get(upstreamId);
  }

  /** Reloads a project's upstreams after a change; at once if they are in use. */
  expireProject(projectUuid: string): void {
    this.#cache.forget(projectUuid);
    const isUsed = [...this.#runtimes.values()].some(({ upstream }) => upstream.projectUuid === projectUuid);
    // A failure shows at the next use.
    if (isUsed) Promise.resolve(this.find(projectUuid)).catch(() => {});
  }

  expireAll(): void {
    this.#cache.expireAll();
  }

  /** Number of upstreams in memory. */
  get size(): number {
    return this.#runtimes.size;
  }

  /** Ends idle sessions, stores changes held back, and drops unused projects and those over the memory bound. */
  sweep(): void {
    for (const runtime of this.#runtimes.values()) runtime.sweep();
    const projects = this.#usage().sort((one, other) => other.usedAtMs - one.usedAtMs);
    const unusedBefore = this.#options.now() - unusedMsMax;
    let heldBytes = 0;
    for (const project of projects) {
      heldBytes += project.heldBytes;
      if (project.usedAtMs <= unusedBefore || heldBytes > heldBytesMax) this.#evict(project.uuid);
    }
  }

  #usage(): { uuid: string; usedAtMs: number; heldBytes: number }[] {
    const projects = new Map<string, { uuid: string; usedAtMs: number; heldBytes: number }>();
    for (const { upstream, usedAtMs, heldBytes } of this.#runtimes.values()) {
      const uuid = upstream.projectUuid;
      const known = projects.get(uuid) ?? { uuid, usedAtMs, heldBytes: 0 };
      projects.set(uuid, {
        uuid,
        usedAtMs: Math.max(known.usedAtMs, usedAtMs),
        heldBytes: known.heldBytes + heldBytes,
      });
    }
    return [...projects.values()];
  }

  #evict(projectUuid: string): void {
    this.#cache.forget(projectUuid);
    this.#closeOthers(projectUuid, new Set());
  }

  /** Ends every session without waiting for upstreams that do not answer. */
  async close(): Promise<void> {
    const runtimes = [...this.#runtimes.values()];
    this.#runtimes.clear();
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, closeTimeoutMs);
    const closing = Promise.all([...runtimes.map(async (runtime) => await runtime.close()), ...this.#closing]);
    await Promise.race([closing, late]);
    clearTimeout(timer);
  }

  async #load(projectUuid: string, previous: ProjectUpstreams | undefined): Promise<ProjectUpstreams> {
    const upstreams = await this.#options.read(projectUuid);
    if (previous !== undefined && isSame(previous, upstreams)) return previous;
    const stale = upstreams.filter(({ id, revision }) => this.#runtimes.get(id)?.upstream.revision !== revision);
    const kept = stale.length === 0 ? new Map() : await this.#options.readKept(stale.map(({ id }) => id));
    const ordered = upstreams.map((upstream) => this.#runtimeOf(upstream, kept.get(upstream.id) ?? nothingKept));
    this.#closeOthers(projectUuid, new Set(upstreams.map(({ id }) => id)));
    return { ordered, byPrefix: new Map(ordered.map((runtime) => [runtime.upstream.prefix, runtime])) };
  }

  #runtimeOf(upstream: ReachableUpstream, kept: KeptUpstream): UpstreamRuntime {
    const known = this.#runtimes.get(upstream.id);
    // An earlier load may end later.
    if (known !== undefined && known.upstream.revision >= upstream.revision) return known;
    if (known !== undefined && isReachedAlike(known.upstream, upstream)) {
      known.reconfigure(upstream, kept);
      return known;
    }
    if (known !== undefined) this.#close(known);
    const runtime = this.#options.create(upstream, kept);
    this.#runtimes.set(upstream.id, runtime);
    return runtime;
  }

  #closeOthers(projectUuid: string, ids: ReadonlySet<number>): void {
    for (const [id, runtime] of this.#runtimes) {
      if (runtime.upstream.projectUuid !== projectUuid || ids.has(id)) continue;
      this.#runtimes.delete(id);
      this.#close(runtime);
    }
  }

  #close(runtime: UpstreamRuntime): void {
    const closing = runtime.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function isSame({ ordered }: ProjectUpstreams, upstreams: readonly ReachableUpstream[]): boolean {
  return (
    ordered.length === upstreams.length &&
    upstreams.every(({ id, revision }, index) => {
      const known = ordered[index]?.upstream;
      return known?.id === id && known.revision === revision;
    })
  );
}

function isReachedAlike(one: ReachableUpstream, other: ReachableUpstream): boolean {
  return one.url === other.url && isSameSecret(one.bearerToken, other.bearerToken);
}

/** Compares references, not the secrets that they refer to, which may change or be missing at any time. */
function isSameSecret(one: Secret | undefined, other: Secret | undefined): boolean {
  if (one?.reference !== undefined || other?.reference !== undefined) return one?.reference === other?.reference;
  return one?.reveal() === other?.reveal();
}

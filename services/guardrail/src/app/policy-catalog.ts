import { internalError } from "@gatehouse/errors";
import { FreshCache } from "@gatehouse/fresh-cache";
import type { PolicyOwner, PolicySource, SavedPolicy } from "../domain/policy-owner.ts";
import type { CompiledPolicy } from "../domain/policy/compile-policy.ts";

interface PolicyCatalogOptions {
  /** Reads the policy of a project or an endpoint by its uuid; undefined where it has none. `isKept` says that an older answer is there. Throws where it cannot know. */
  readonly read: (ownerUuid: string, isKept: boolean) => Promise<SavedPolicy | undefined>;
  /** Throws for a document that is not valid. */
  readonly compile: (document: unknown) => Promise<CompiledPolicy>;
  /** Policy in force at an endpoint whose policy adds to its project's. */
  readonly combine: (project: CompiledPolicy, endpoint: CompiledPolicy) => Promise<CompiledPolicy>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly isUnavailable: (err: unknown) => boolean;
}

/** A policy ready to inspect with, and whose it is; `both` where an endpoint's adds to its project's. */
interface PolicyInForce {
  readonly policy: CompiledPolicy;
  readonly source: PolicySource;
}

interface ReadyPolicy {
  readonly policy: CompiledPolicy;
  readonly updatedAt: Date;
}

interface Combination {
  readonly projects: ReadyPolicy;
  /** A promise while it is being compiled. */
  readonly inForce: PolicyInForce | Promise<PolicyInForce>;
}

/** The compiled policies in use, kept in memory. Changes are pushed to it; without a push an answer is at most 5 s old. */
export class PolicyCatalog {
  readonly #cache: FreshCache<string, ReadyPolicy | undefined>;
  /** Policy in force where both have one, by the endpoint's; made again when either changes. */
  readonly #combined = new WeakMap<ReadyPolicy, Combination>();
  readonly #combine: PolicyCatalogOptions["combine"];

  constructor({ read, compile, combine, now, isUnavailable }: PolicyCatalogOptions) {
    this.#combine = combine;
    this.#cache = new FreshCache({
      nameOf: (ownerUuid) => ownerUuid,
      // A policy that has not changed is not compiled again.
      load: async (ownerUuid, previous) => {
        const saved = await read(ownerUuid, previous !== undefined);
        if (saved === undefined) return undefined;
        if (saved.updatedAt.getTime() === previous?.updatedAt.getTime()) return previous;
        return { policy: await compileSaved(compile, saved), updatedAt: saved.updatedAt };
      },
      now,
      isUnavailable,
    });
  }

  /**
   * Policy in force at an endpoint, or in its project; undefined where there is none. Answers without a promise where it can.
   */
  find({ projectUuid, endpointUuid }: PolicyOwner): PolicyInForce | undefined | Promise<PolicyInForce | undefined> {
    const own = endpointUuid === undefined ? undefined : this.#cache.find(endpointUuid);
    const projects = this.#cache.find(projectUuid);
    if (own instanceof Promise || projects instanceof Promise) {
      return Promise.all([own, projects]).then(([early, late]) => this.#choose(early, late));
    }
    return this.#choose(own, projects);
  }

  forget(ownerUuid: string): void {
    this.#cache.forget(ownerUuid);
  }

  expireAll(): void {
    this.#cache.expireAll();
  }

  #choose(
    own: ReadyPolicy | undefined,
    projects: ReadyPolicy | undefined,
  ): PolicyInForce | undefined | Promise<PolicyInForce> {
    if (own === undefined) return projects && { policy: projects.policy, source: "project" };
    if (projects === undefined || own.policy.document.replace) return { policy: own.policy, source: "endpoint" };
    const known = this.#combined.get(own);
    if (known?.projects === projects) return known.inForce;
    const inForce = this.#combine(projects.policy, own.policy).then((policy): PolicyInForce => {
      const ready: PolicyInForce = { policy, source: "both" };
      this.#combined.set(own, { projects, inForce: ready });
      return ready;
    });
    this.#combined.set(own, { projects, inForce });
    return inForce;
  }
}

/** A policy that was valid when it was saved and is not any more is this service's failure, not its caller's. */
async function compileSaved(
  compile: PolicyCatalogOptions["compile"],
  { document }: SavedPolicy,
): Promise<CompiledPolicy> {
  try {
    return await compile(document);
  } catch (err) {
    throw internalError(err);
  }
}

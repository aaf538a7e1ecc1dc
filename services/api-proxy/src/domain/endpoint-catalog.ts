import { FreshCache, type FreshCacheOptions } from "@gatehouse/fresh-cache";
import { isSlug } from "@gatehouse/slugs";
import type { CompiledEndpoint } from "./endpoint.ts";

export interface EndpointKey {
  readonly projectUuid: string;
  readonly slug: string;
}

export interface EndpointCatalogOptions extends Pick<FreshCacheOptions<never, never>, "now" | "isUnavailable"> {
  /**
   * Reads an active endpoint with all that a request needs; undefined where there is none. Throws where it cannot know. May
   * answer with `previous`, the answer that this one takes the place of, when nothing has changed.
   */
  readonly load: (key: EndpointKey, previous: CompiledEndpoint | undefined) => Promise<CompiledEndpoint | undefined>;
}

/** The endpoints in use, kept in memory. Changes are pushed to it; without a push an answer is at most 5 s old. */
export class EndpointCatalog {
  readonly #cache: FreshCache<EndpointKey, CompiledEndpoint | undefined>;

  constructor({ load, now, isUnavailable }: EndpointCatalogOptions) {
    this.#cache = new FreshCache<EndpointKey, CompiledEndpoint | undefined>({
      nameOf: ({ projectUuid, slug }) => `${projectUuid}/${slug}`,
      load,
      now,
      isUnavailable,
    });
  }

  /** Answers without a promise where it can. Undefined: no such endpoint, or an inactive one. */
  find(projectUuid: string, slug: string): CompiledEndpoint | undefined | Promise<CompiledEndpoint | undefined> {
    return isSlug(slug) ? this.#cache.find({ projectUuid, slug }) : undefined;
  }

  forget({ projectUuid, slug }: EndpointKey): void {
    this.#cache.forget({ projectUuid, slug });
  }

  forgetAll(): void {
    this.#cache.forgetAll();
  }
}

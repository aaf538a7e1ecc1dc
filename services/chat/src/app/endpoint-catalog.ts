import { FreshCache, type FreshCacheOptions } from "@gatehouse/fresh-cache";
import { isSlug } from "@gatehouse/slugs";
import type { CompiledEndpoint, EndpointKey, LoadEndpoint } from "../domain/endpoint.ts";

export interface EndpointCatalogOptions extends Pick<FreshCacheOptions<never, never>, "now" | "isUnavailable"> {
  readonly load: LoadEndpoint;
}

/** The compiled endpoints in use, kept in memory. Changes are pushed to it; without a push an answer is at most 5 s old. */
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

  forget(projectUuid: string, slug: string): void {
    this.#cache.forget({ projectUuid, slug });
  }

  forgetAll(): void {
    this.#cache.forgetAll();
  }
}

import { FreshCache } from "@gatehouse/fresh-cache";
import { isSlug } from "./slug.ts";

/** Key of an endpoint in the catalogue and in announcements of its changes. */
export interface EndpointKey {
  readonly projectUuid: string;
  readonly slug: string;
}

/**
 * Reads an active endpoint with everything that a request needs; undefined where there is none; throws where that is unknown. May
 * return `previous`, the replaced answer, when nothing has changed.
 */
export type LoadEndpoint<Endpoint> = (
  key: EndpointKey,
  previous: Endpoint | undefined,
) => Promise<Endpoint | undefined>;

/** Cache of endpoints in use. Changes are pushed to it; without a push an answer is at most 5 s old. */
export class EndpointCatalog<Endpoint> {
  readonly #cache: FreshCache<EndpointKey, Endpoint | undefined>;

  /**
   * @param now milliseconds of a monotonic clock
   * @param isUnavailable whether a failed load means that the store is unreachable, so that an older answer may be returned
   */
  constructor(load: LoadEndpoint<Endpoint>, now: () => number, isUnavailable: (err: unknown) => boolean) {
    this.#cache = new FreshCache<EndpointKey, Endpoint | undefined>({
      nameOf: ({ projectUuid, slug }) => `${projectUuid}/${slug}`,
      load,
      now,
      isUnavailable,
    });
  }

  /** Returns no promise where the answer is cached. Undefined: no such endpoint, or an inactive one. */
  find(projectUuid: string, slug: string): Endpoint | undefined | Promise<Endpoint | undefined> {
    return isSlug(slug) ? this.#cache.find({ projectUuid, slug }) : undefined;
  }

  forget({ projectUuid, slug }: EndpointKey): void {
    this.#cache.forget({ projectUuid, slug });
  }

  forgetAll(): void {
    this.#cache.forgetAll();
  }

  /** After changes may have been missed: as `forgetAll`, but earlier answers are returned while the store is unreachable. */
  expireAll(): void {
    this.#cache.expireAll();
  }
}

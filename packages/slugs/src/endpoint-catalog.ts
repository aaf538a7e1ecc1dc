import { FreshCache } from "@gatehouse/fresh-cache";
import { isSlug } from "./slug.ts";

/** The project and the slug by which an endpoint is found. */
export interface EndpointKey {
  readonly projectUuid: string;
  readonly slug: string;
}

/**
 * Reads an active endpoint with all that a request needs; undefined where there is none. Throws where it cannot know. May answer
 * with `previous`, the answer that this one takes the place of, when nothing has changed.
 */
export type LoadEndpoint<Endpoint> = (
  key: EndpointKey,
  previous: Endpoint | undefined,
) => Promise<Endpoint | undefined>;

/** The endpoints in use, kept in memory. Changes are pushed to it; without a push an answer is at most 5 s old. */
export class EndpointCatalog<Endpoint> {
  readonly #cache: FreshCache<EndpointKey, Endpoint | undefined>;

  /**
   * @param now milliseconds of a monotonic clock
   * @param isUnavailable whether a failed load says that the store is away, so that an older answer may still be given
   */
  constructor(load: LoadEndpoint<Endpoint>, now: () => number, isUnavailable: (err: unknown) => boolean) {
    this.#cache = new FreshCache<EndpointKey, Endpoint | undefined>({
      nameOf: ({ projectUuid, slug }) => `${projectUuid}/${slug}`,
      load,
      now,
      isUnavailable,
    });
  }

  /** Answers without a promise where it can. Undefined: no such endpoint, or an inactive one. */
  find(projectUuid: string, slug: string): Endpoint | undefined | Promise<Endpoint | undefined> {
    return isSlug(slug) ? this.#cache.find({ projectUuid, slug }) : undefined;
  }

  forget({ projectUuid, slug }: EndpointKey): void {
    this.#cache.forget({ projectUuid, slug });
  }

  forgetAll(): void {
    this.#cache.forgetAll();
  }
}

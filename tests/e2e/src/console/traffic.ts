import type { Page, Request } from "playwright-core";

/** Time without requests and replies. */
const quietMs = 300;
/** For `expect.poll` of {@link Traffic.isQuiet}. */
export const quietWithin = { timeout: 10_000 } as const;

/** Requests of a page, and whether replies are pending. */
export class Traffic {
  /** Paths, in the order of the requests. */
  readonly asked: string[] = [];
  readonly #underWay = new Set<Request>();
  #movedAt = performance.now();

  constructor(page: Page) {
    page.on("request", (request) => {
      this.asked.push(new URL(request.url()).pathname);
      this.#underWay.add(request);
      this.#movedAt = performance.now();
    });
    const end = (request: Request) => {
      this.#underWay.delete(request);
      this.#movedAt = performance.now();
    };
    page.on("requestfinished", end);
    page.on("requestfailed", end);
  }

  /** Marks an action that may cause requests. */
  begin(): void {
    this.#movedAt = performance.now();
  }

  /** Whether all requests are answered. The browser's own "networkidle" occurs once per document. */
  get isQuiet(): boolean {
    return this.#underWay.size === 0 && performance.now() - this.#movedAt > quietMs;
  }
}

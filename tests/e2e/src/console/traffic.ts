import type { Page, Request } from "playwright-core";

/** Without a question or an answer. */
const quietMs = 300;
/** For `expect.poll` of {@link Traffic.isQuiet}. */
export const quietWithin = { timeout: 10_000 } as const;

/** Questions of a page, and whether it waits for an answer. */
export class Traffic {
  /** Paths, in the order of the questions. */
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

  /** Something has been done now that may lead to questions. */
  begin(): void {
    this.#movedAt = performance.now();
  }

  /** Whether all that was asked is answered. The browser's own "networkidle" comes once for each document. */
  get isQuiet(): boolean {
    return this.#underWay.size === 0 && performance.now() - this.#movedAt > quietMs;
  }
}

import type { Page, Request } from "playwright-core";
import { expect } from "vitest";

/** Looks in a row that find nothing under way before a page counts as quiet. */
const quietLooks = 3;

/** Questions of a page, and whether it waits for an answer. */
export class Traffic {
  /** Paths, in the order of the questions. */
  readonly asked: string[] = [];
  readonly #underWay = new Set<Request>();

  constructor(page: Page) {
    page.on("request", (request) => {
      this.asked.push(new URL(request.url()).pathname);
      this.#underWay.add(request);
    });
    page.on("requestfinished", (request) => this.#underWay.delete(request));
    page.on("requestfailed", (request) => this.#underWay.delete(request));
  }

  /** Waits until all that was asked is answered. The browser's own "networkidle" comes once for each document. */
  async untilQuiet(): Promise<void> {
    let looks = 0;
    const look = () => {
      looks = this.#underWay.size === 0 ? looks + 1 : 0;
      return looks;
    };
    await expect.poll(look, { interval: 100, timeout: 10_000 }).toBeGreaterThanOrEqual(quietLooks);
  }
}

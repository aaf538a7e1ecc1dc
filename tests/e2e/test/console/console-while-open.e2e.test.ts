import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { pages } from "../../src/console/places.ts";
import { openSignInDesk, type SignInDesk } from "../../src/console/sign-in-desk.ts";
import { quietWithin, Traffic } from "../../src/console/traffic.ts";

const chromiumPath = findChromium();
/** Every page asks about what it needs, and one asks about nothing. */
const asking = pages.flatMap(([name, address]) => (name === "nowhere" ? [] : [{ name, address }]));
/** For the answer, and the drawing after it. */
const answerMs = 10_000;

/** A page that is open while the role of its reader changes. */
describe.skipIf(chromiumPath === undefined)(
  chromiumPath === undefined ? noChromium : "every page while a role changes",
  () => {
    let desk: SignInDesk;
    let traffic: Traffic;
    const page = () => desk.ann.page;

    beforeAll(async () => {
      desk = await openSignInDesk(chromiumPath ?? "");
      traffic = new Traffic(desk.ann.page);
    });
    afterAll(async () => await desk?.stop());
    afterEach(() => {
      // Chromium notes each refusal.
      expect(desk.ann.takeComplaints().filter((text) => !/\b40[03]\b/.test(text))).toEqual([]);
    });

    test.each(asking)(
      "$name: what a lowered role forbids is not offered after the next answer",
      async ({ address }) => {
        await desk.openAsOwner(address(desk));
        await desk.giveRole("viewer");
        const opened = await page().context().newPage();
        await opened.goto(page().url());
        await opened.getByRole("heading", { level: 1 }).waitFor();
        await opened.waitForLoadState("networkidle");
        const allowed = await offered(opened);
        await opened.close();
        await page().evaluate("void dispatchEvent(new Event('visibilitychange'))");
        const forbidden = async () => (await offered(page())).filter((name) => !allowed.includes(name));
        await expect.poll(forbidden, { timeout: answerMs }).toEqual([]);
        await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
        expect(await page().getByRole("heading", { level: 1 }).count()).toBe(1);
        expect(await page().getByRole("alert").count()).toBe(0);
      },
    );
  },
);

/** Buttons and switches of a page by what they say, without the times and numbers in it. */
async function offered(page: Page): Promise<readonly string[]> {
  const names = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("main button, main input[role='switch']")].map((each) => each.getAttribute("aria-label") ?? each.textContent)`,
  );
  return names.map((name) => name.replaceAll(/\d+/g, "#"));
}

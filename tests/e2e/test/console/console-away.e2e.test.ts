import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { batchesOfPages } from "../../src/console/places.ts";
import { openTroubledDesk, type TroubledDesk } from "../../src/console/troubled-desk.ts";

const chromiumPath = findChromium();
/** Within which a page that was left alone shows again what it could not read. */
const recoveryMs = 30_000;
/** Half of the pages. */
const batches = batchesOfPages(12);

/** Every page while the gateway is away for a while, and restarted. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "a gateway that is away", () => {
  let desk: TroubledDesk;

  beforeAll(async () => {
    desk = await openTroubledDesk(chromiumPath ?? "");
  });
  afterAll(async () => await desk?.stop());
  afterEach(() => {
    desk.proxy.isDown = false;
  });

  test.each(batches)(
    "$names: each says that the gateway is away, is back by itself, and is there after a restart of the gateway",
    async ({ places }) => {
      const opened = await Promise.all(places.map(async ({ address }) => await openTab(address(desk))));
      desk.proxy.isDown = true;
      await Promise.all(opened.map(expectAway));
      desk.proxy.isDown = false;
      await Promise.all(opened.map(expectRecovered));
      await desk.product.restart(0);
      await Promise.all(opened.map(comeToTheFront));
      await Promise.all(opened.map(expectRecovered));
      await Promise.all(opened.map(async (tab) => await tab.close()));
    },
    120_000,
  );

  async function openTab(address: string): Promise<Page> {
    const tab = await desk.visitor.page.context().newPage();
    await tab.goto(`/console${address}`);
    await tab.getByRole("heading", { level: 1 }).waitFor();
    await tab.waitForLoadState("networkidle");
    return tab;
  }
});

/** Has the page read what it shows, if that is older than five seconds. */
async function comeToTheFront(tab: Page): Promise<void> {
  await tab.evaluate("void dispatchEvent(new Event('visibilitychange'))");
}

async function expectAway(tab: Page): Promise<void> {
  await expect
    .poll(
      async () => {
        await comeToTheFront(tab);
        return { at: tab.url(), says: (await tab.getByText("The gateway does not answer.").count()) > 0 };
      },
      { timeout: recoveryMs },
    )
    .toEqual({ at: tab.url(), says: true });
}

async function expectRecovered(tab: Page): Promise<void> {
  const trouble = async () => ({
    at: tab.url(),
    alerts: await tab.getByRole("alert").allTextContents(),
    waiting: await tab.getByLabel("Loading").count(),
    headings: await tab.getByRole("heading", { level: 1 }).count(),
  });
  await expect.poll(trouble, { timeout: recoveryMs }).toEqual({ at: tab.url(), alerts: [], waiting: 0, headings: 1 });
}

import { Semaphore } from "@gatehouse/async";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import type { FaultyNetworkFixture } from "../../src/console/faulty-network-fixture.ts";
import { batchesOfPages } from "../../src/console/places.ts";

/** Longest pause of an unattended page between two attempts, and as much for all pages to draw what they have read. */
const recoveryMs = 60_000;
/** Each check makes a page read again, and 13 pages are open. */
const looking = { timeout: recoveryMs, interval: 1_500 } as const;
/** Pages that are opened at once: each has its own time, which the others would use up. */
const openedAtOnce = 2;
/** Half of the pages. */
const batches = batchesOfPages(13);

/** Every page during an outage and a restart of the gateway. */
export function describeAway(opened: () => FaultyNetworkFixture): void {
  describe("an unreachable gateway", () => {
    let fixture: FaultyNetworkFixture;

    beforeAll(async () => {
      fixture = opened();
    });
    afterEach(() => {
      fixture.proxy.isDown = false;
    });

    test.each(batches)(
      "$names: each reports it, recovers by itself, and works after a restart of the gateway",
      async ({ places }) => {
        const slots = new Semaphore(openedAtOnce);
        const tabs = await Promise.all(
          places.map(async ({ address }) => await slots.run(async () => await openTab(address(fixture)))),
        );
        const opened = tabs.map(({ page }) => page);
        fixture.proxy.isDown = true;
        await Promise.all(opened.map(expectAway));
        fixture.proxy.isDown = false;
        await Promise.all(opened.map(expectRecovered));
        await fixture.product.restart(0);
        await Promise.all(opened.map(expectReadAgain));
        await Promise.all(opened.map(expectRecovered));
        await Promise.all(tabs.map(async (tab) => await tab.leave()));
      },
      300_000,
    );

    async function openTab(address: string): Promise<ConsoleVisitor> {
      const tab = await fixture.visitor.openTab();
      await tab.go(address);
      await tab.page.getByRole("heading", { level: 1 }).waitFor();
      await tab.settle();
      return tab;
    }
  });
}

/** Makes the page refresh data older than five seconds. */
async function comeToTheFront(tab: Page): Promise<void> {
  await tab.evaluate("void dispatchEvent(new Event('visibilitychange'))");
}

/** Requires a read from the present gateway: content from before a restart proves nothing. */
async function expectReadAgain(tab: Page): Promise<void> {
  let answers = 0;
  tab.on("response", (reply) => {
    if (reply.url().endsWith("/control/mcp") && reply.ok()) answers += 1;
  });
  const read = async () => {
    await comeToTheFront(tab);
    return { at: tab.url(), hasRead: answers > 0 };
  };
  await expect.poll(read, looking).toEqual({ at: tab.url(), hasRead: true });
}

async function expectAway(tab: Page): Promise<void> {
  await expect
    .poll(async () => {
      await comeToTheFront(tab);
      return { at: tab.url(), says: (await tab.getByText("The gateway is not responding.").count()) > 0 };
    }, looking)
    .toEqual({ at: tab.url(), says: true });
}

async function expectRecovered(tab: Page): Promise<void> {
  const trouble = async () => ({
    at: tab.url(),
    alerts: await tab.getByRole("alert").allTextContents(),
    waiting: await tab.getByLabel("Loading").count(),
    headings: await tab.getByRole("heading", { level: 1 }).count(),
  });
  await expect.poll(trouble, looking).toEqual({ at: tab.url(), alerts: [], waiting: 0, headings: 1 });
}

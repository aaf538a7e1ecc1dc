import { afterAll, beforeAll, describe, test } from "vitest";
import { changeOf, ChangesSent } from "../../src/console/changes-sent.ts";
import type { FaultyNetworkFixture } from "../../src/console/faulty-network-fixture.ts";
import { fillRequired } from "../../src/console/fill-required.ts";
import { interceptCalls } from "../../src/console/intercepted-calls.ts";
import { forms, pages } from "../../src/console/places.ts";

/** Delay of each call of the Control Plane. */
const slowMs = 1_000;
/** Layout shift that people do not notice (web.dev/articles/cls). */
const shiftMax = 0.1;

const asking = pages.flatMap(([name, address]) => (name === "nowhere" ? [] : [{ name, address }]));
const filled = forms.map(([name, address, label = ""]) => ({ name, address, label }));

interface Shift {
  readonly sum: number;
  /** Class, and place before and after. */
  readonly moved: readonly string[];
}

/** Every page and form at a slow gateway; several concurrently, since most of the time is waiting. */
export function describeSlow(opened: () => FaultyNetworkFixture): void {
  describe("a slow gateway", () => {
    let fixture: FaultyNetworkFixture;

    beforeAll(async () => {
      fixture = opened();
      await fixture.visitor.page.context().addInitScript(watchShifts);
      fixture.proxy.delayMs = slowMs;
    });
    afterAll(() => {
      fixture.proxy.delayMs = 0;
    });

    describe("pages", () => {
      test.concurrent.for(asking)(
        "$name: placeholders, then the page, without layout shifts",
        async ({ address }, { expect }) => {
          await using tab = await fixture.visitor.openTab();
          const { page } = tab;
          await page.goto(`/console${address(fixture)}`);
          await page.getByLabel("Loading").first().waitFor();
          await page.getByRole("heading", { level: 1 }).waitFor();
          await tab.settle();
          await expect.poll(async () => await page.getByLabel("Loading").count()).toBe(0);
          const { sum, moved } = await page.evaluate<Shift>("({ sum: globalThis.shift, moved: globalThis.shifted })");
          expect(sum < shiftMax ? [] : moved).toEqual([]);
          // Caused by the machine, where other tests create and remove networks.
          const complaints = tab.takeComplaints().filter((text) => !text.includes("ERR_NETWORK_CHANGED"));
          expect(complaints).toEqual([]);
        },
      );
    });

    describe("forms", () => {
      test.concurrent.for(filled)("$name: two clicks send one change", async ({ address, label }, { expect }) => {
        await using tab = await fixture.visitor.openTab();
        const { page } = tab;
        await tab.go(address(fixture));
        await page.getByRole("button", { name: label, exact: true }).first().click();
        const dialog = page.getByRole("dialog");
        await fillRequired(dialog);
        const { asked: changes } = new ChangesSent(page);
        // A change waits for the last click, however late it comes.
        let answer = () => {};
        const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
        await using _calls = await interceptCalls(page, "*/control/mcp", async (call) => {
          if (changeOf(call.body).length > 0) await mayAnswer;
          await call.pass();
        });
        const submit = dialog.locator('button[type="submit"]');
        await submit.dblclick();
        await expect.poll(() => changes.length).toBe(1);
        await submit.click({ force: true, timeout: 1_000 }).catch(() => {});
        answer();
        // Saved, or refused beside its field.
        await dialog
          .locator('button[type="submit"]:not([data-loading])')
          .or(page.locator("body:not(:has([role=dialog]))"))
          .first()
          .waitFor();
        expect(changes).toHaveLength(1);
      });
    });
  });
}

/** Sums the layout shifts without input, and records the moved elements. */
const watchShifts = `globalThis.shift = 0; globalThis.shifted = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    globalThis.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      globalThis.shifted.push(value.toFixed(3) + " " + (node?.className ?? node?.nodeName ?? "") + " " + [previousRect.y, currentRect.y].map(Math.round).join("->"));
  }
}).observe({ type: "layout-shift", buffered: true });`;

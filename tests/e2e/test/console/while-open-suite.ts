import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { batchesOfPages } from "../../src/console/places.ts";
import type { SignInFixture } from "../../src/console/sign-in-fixture.ts";
import { quietWithin, Traffic } from "../../src/console/traffic.ts";

/** A quarter of the pages, since each is open twice. */
const batches = batchesOfPages(7);
/** Bound of the answer and its render. */
const answerMs = 10_000;

/** A page that is open while its user's role changes. */
export function describeWhileOpen(opened: () => SignInFixture): void {
  describe("every page while a role changes", () => {
    let fixture: SignInFixture;

    beforeAll(async () => {
      fixture = opened();
    });

    test.each(batches)(
      "$names: controls that a lowered role forbids disappear after the next answer",
      async ({ places }) => {
        await fixture.giveRole("owner");
        const opened = await Promise.all(places.map(async ({ address }) => await open(`/console${address(fixture)}`)));
        const before = await Promise.all(opened.map(async ({ tab }) => await offered(tab.page)));
        await fixture.giveRole("viewer");
        const pairs = await Promise.all(opened.map(async (each) => [each, await open(each.tab.page.url())] as const));
        await Promise.all(opened.map(async ({ tab }) => await comeToTheFront(tab.page)));
        const after = await Promise.all(pairs.map(async ([each, other]) => await expectLowered(each, other)));
        // Otherwise no role has changed, or none of these pages shows it.
        const gone = before.flatMap((names, at) => names.filter((name) => after[at]?.includes(name) === false));
        expect(gone).not.toEqual([]);
      },
      120_000,
    );

    async function open(address: string): Promise<Opened> {
      const tab = await fixture.ann.openTab();
      const traffic = new Traffic(tab.page);
      await tab.page.goto(address);
      await tab.page.getByRole("heading", { level: 1 }).waitFor();
      await tab.page.waitForLoadState("networkidle");
      return { tab, traffic };
    }
  });
}

interface Opened {
  readonly tab: ConsoleVisitor;
  readonly traffic: Traffic;
}

async function comeToTheFront(page: Page): Promise<void> {
  await page.evaluate("void dispatchEvent(new Event('visibilitychange'))");
}

/**
 * @param other the same page, opened with the lowered role, whose offers are expected
 * @returns the final offers
 */
async function expectLowered({ tab, traffic }: Opened, other: Opened): Promise<readonly string[]> {
  const at = tab.page.url();
  expect(await roleIn(tab.page)).toBe("viewer");
  const forbidden = async () => {
    const allowed = await offered(other.tab.page);
    const names = (await offered(tab.page)).filter((name) => !allowed.includes(name));
    return { at, names };
  };
  await expect.poll(forbidden, { timeout: answerMs, interval: 250 }).toEqual({ at, names: [] });
  await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
  const headings = await tab.page.getByRole("heading", { level: 1 }).count();
  const alerts = await tab.page.getByRole("alert").count();
  // Chromium reports each refusal.
  const complaints = tab.takeComplaints().filter((text) => !/\b40[03]\b/.test(text));
  expect({ at, headings, alerts, complaints }).toEqual({ at, headings: 1, alerts: 0, complaints: [] });
  const left = await offered(tab.page);
  await Promise.all([tab.leave(), other.tab.leave()]);
  return left;
}

/** Role of the page's session at the gateway. */
async function roleIn(page: Page): Promise<string> {
  return await page.evaluate<string>("fetch('/control/session').then(async (reply) => (await reply.json()).role)");
}

/** Texts of buttons and switches, without times and numbers. */
async function offered(page: Page): Promise<readonly string[]> {
  const names = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("main button, main input[role='switch']")].map((each) => each.getAttribute("aria-label") ?? each.textContent)`,
  );
  return names.map((name) => name.replaceAll(/\d+/g, "#"));
}

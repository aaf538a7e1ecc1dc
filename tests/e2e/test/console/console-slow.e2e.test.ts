import type { Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleDesk, openDesk } from "../../src/console/console-desk.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { forms, pages } from "../../src/console/places.ts";
import { TroubledProxy } from "../../src/console/troubled-proxy.ts";
import { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { fillRequired } from "../../src/console/fill-required.ts";

const chromiumPath = findChromium();
/** For each call of the Control Plane. */
const slowMs = 2_000;
/** Layout shift that people do not notice, by the measure of browsers (web.dev/articles/cls). */
const shiftMax = 0.1;
/** Within which a page that was left alone shows again what it could not read. */
const recoveryMs = 30_000;
interface Shift {
  readonly sum: number;
  /** Class, and place before and after. */
  readonly moved: readonly string[];
}

/** Pages open at the same time. */
const tabs = 7;

const asking = pages.flatMap(([name, address]) => (name === "nowhere" ? [] : [{ name, address }]));
const filled = forms.map(([name, address, label = ""]) => ({ name, address, label }));
const batches = Array.from({ length: Math.ceil(asking.length / tabs) }, (_, at) => {
  const places = asking.slice(at * tabs, (at + 1) * tabs);
  return { names: places.map(({ name }) => name).join(", "), places };
});

/** Every page at a gateway that is slow, away for a while, and restarted. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "every page in trouble", () => {
  let desk: ConsoleDesk;
  let proxy: TroubledProxy;
  let visitor: ConsoleVisitor;
  const page = () => visitor.page;

  beforeAll(async () => {
    desk = await openDesk(chromiumPath ?? "");
    proxy = await TroubledProxy.start(desk.product.url);
    visitor = await ConsoleVisitor.arrive(chromiumPath ?? "", proxy.url, "light");
    // A form that is left half typed asks; these visits leave it.
    page().on("dialog", (question) => void question.accept());
    await page().goto("/console");
    await visitor.signIn(desk.product.adminKey);
  });
  afterAll(async () => {
    await visitor?.leave();
    proxy?.stop();
    await desk?.stop();
  });
  afterEach(() => {
    proxy.delayMs = 0;
    proxy.isDown = false;
  });

  test.each(batches)("$names: at a slow gateway grey lines, then the page, and nothing jumps", async ({ places }) => {
    proxy.delayMs = slowMs;
    const shifts = await Promise.all(
      places.map(async ({ name, address }) => {
        const tab = await page().context().newPage();
        await tab.addInitScript(watchShifts);
        await tab.goto(`/console${address(desk)}`);
        await tab.getByLabel("Loading").first().waitFor({ timeout: slowMs });
        await tab.getByRole("heading", { level: 1 }).waitFor();
        await tab.waitForLoadState("networkidle");
        await tab.getByLabel("Loading").waitFor({ state: "detached" });
        const shift = await tab.evaluate<Shift>("({ sum: globalThis.shift, moved: globalThis.shifted })");
        await tab.close();
        return { name, ...shift };
      }),
    );
    expect(shifts.filter(({ sum }) => sum >= shiftMax)).toEqual([]);
  });

  test.each(filled)("$name at a slow gateway: two clicks send one change", async ({ address, label }) => {
    await page().goto(`/console${address(desk)}`);
    await page().getByRole("button", { name: label, exact: true }).first().click();
    const dialog = page().getByRole("dialog");
    await fillRequired(dialog);
    proxy.delayMs = slowMs;
    const changes: string[] = [];
    const note = (request: Request) => changes.push(...changeIn(request));
    page().on("request", note);
    const submit = dialog.locator('button[type="submit"]');
    await submit.dblclick();
    await expect.poll(() => changes.length).toBe(1);
    await submit.click({ force: true, timeout: 1_000 }).catch(() => {});
    // It was saved, or refused beside its field.
    await dialog
      .locator('button[type="submit"]:not([data-loading])')
      .or(page().locator("body:not(:has([role=dialog]))"))
      .first()
      .waitFor();
    page().off("request", note);
    expect(changes).toHaveLength(1);
    visitor.takeComplaints();
  });

  test.each(batches)("$names: each says that the gateway is away, and is back by itself", async ({ places }) => {
    const opened = await Promise.all(places.map(async ({ address }) => await openTab(address(desk))));
    proxy.isDown = true;
    await Promise.all(opened.map(expectAway));
    proxy.isDown = false;
    await Promise.all(opened.map(expectRecovered));
  });

  test.each(batches)(
    "$names: each is there after a restart of the gateway",
    async ({ places }) => {
      const opened = await Promise.all(places.map(async ({ address }) => await openTab(address(desk))));
      await desk.product.restart(0);
      await Promise.all(opened.map(comeToTheFront));
      await Promise.all(opened.map(expectRecovered));
    },
    120_000,
  );

  async function openTab(address: string): Promise<Page> {
    const tab = await page().context().newPage();
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
  await tab.close();
}

/** The name of the operation, where a request asks for one that is no question. */
function changeIn(request: Request): readonly string[] {
  const { method, params } = (request.postDataJSON() ?? {}) as {
    readonly method?: string;
    readonly params?: { readonly name?: string };
  };
  const { name = "" } = params ?? {};
  return method === "tools/call" && !/^svc_(?:list|get|query|count|check)_/.test(name) ? [name] : [];
}

/** Sums the layout shifts that no input has caused, and keeps what has moved. */
const watchShifts = `globalThis.shift = 0; globalThis.shifted = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    globalThis.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      globalThis.shifted.push(value.toFixed(3) + " " + (node?.className ?? node?.nodeName ?? "") + " " + [previousRect.y, currentRect.y].map(Math.round).join("->"));
  }
}).observe({ type: "layout-shift", buffered: true });`;

import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  namelessControls,
  namelessDialogs,
  sharedNames,
  skippingHeadings,
} from "../../src/console/accessibility-tree.ts";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { focusedStop, walkFocus } from "../../src/console/focus-walk.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { forms, pages, panels } from "../../src/console/places.ts";

/** A phone, and a screen of 1,280 px at 400 % (WCAG 1.4.10). */
const narrow = [
  { width: 360, height: 740 },
  { width: 320, height: 256 },
] as const;
/** Largest width of a table, CSS pixels. */
const rowLengthMax = 1_920;
/** Longest animation, milliseconds; none where the system requests reduced motion. */
const motionMsMax = 150;

const places = pages.map(([name, address]) => ({ name, address }));
const openers = [...forms, ...panels].flatMap(([name, address, label = "", place]) =>
  place === "on the page" ? [] : [{ name, address, label }],
);

/** Checks beyond axe: keyboard, focus, narrow and magnified pages, motion. Several pages and panels concurrently. */
export function describeComfort(opened: () => ConsoleFixture): void {
  describe("accessible pages", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, dialog, field, open } = pageTools(page);

    beforeAll(async () => {
      fixture = opened();
      await page().emulateMedia({ reducedMotion: "reduce" });
    });
    afterEach(() => {
      expect(fixture.visitor.takeComplaints()).toEqual([]);
    });

    const openWhole = async (path: string, at = fixture.visitor) => {
      await at.page.emulateMedia({ reducedMotion: "reduce" });
      await at.page.goto(`/console${path}`);
      await at.page.getByRole("heading").first().waitFor();
      await at.settle();
    };

    describe("each page", () => {
      // Sequential: beside other tabs a page may not have scrolled to the focus when it is checked.
      test.for(places)(
        "$name: its controls have distinct names, and its headings nest; Tab visits every control in view and leaves the page; it is never wider than a phone or a screen at 400 %",
        async ({ name, address }, { expect }) => {
          await using tab = await fixture.visitor.openTab();
          await openWhole(address(fixture), tab);
          expect(await namelessControls(tab.page)).toEqual([]);
          expect(await sharedNames(tab.page)).toEqual([]);
          expect(await skippingHeadings(tab.page)).toEqual([]);
          const stops = await walkFocus(tab.page);
          expect(stops.length).toBeGreaterThan(5);
          expect(stops.filter(({ isMarked, isInView }) => !isMarked || !isInView)).toEqual([]);
          for (const size of narrow) {
            await tab.page.setViewportSize(size);
            const overflow = await tab.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
            expect({ name, size, overflow }).toEqual({ name, size, overflow: 0 });
          }
          expect(tab.takeComplaints()).toEqual([]);
        },
      );
    });

    describe("each panel", () => {
      test.concurrent.for(openers)(
        "$name: it and its controls have names, and it takes the focus, keeps it while open, and returns it",
        async ({ address, label }, { expect }) => {
          await using tab = await fixture.visitor.openTab();
          const { keyboard } = tab.page;
          const tools = pageTools(() => tab.page);
          await tab.page.emulateMedia({ reducedMotion: "reduce" });
          await tab.go(address(fixture));
          await tab.settle();
          await tools.button(label).first().focus();
          await keyboard.press("Enter");
          await tools.dialog().waitFor();
          await tab.settle();
          expect(await namelessControls(tab.page)).toEqual([]);
          expect(await namelessDialogs(tab.page)).toEqual([]);
          expect(await sharedNames(tab.page)).toEqual([]);
          await expect.poll(async () => await focusedStop(tab.page)).toMatchObject({ isInDialog: true });
          for (let stop = 0; stop < 12; stop += 1) {
            await keyboard.press("Tab");
            expect(await focusedStop(tab.page)).toMatchObject({ isInDialog: true, isMarked: true });
          }
          await keyboard.press("Escape");
          await tools.dialog().waitFor({ state: "detached" });
          await tools.button(label).and(tab.page.locator(":focus")).waitFor();
          expect(tab.takeComplaints()).toEqual([]);
        },
      );
    });

    test("the first Tab stop skips to the content, and is visible when focused", async () => {
      await openWhole("/projects");
      await page().keyboard.press("Tab");
      const skip = page().getByRole("link", { name: "Skip to content" });
      expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0);
      await page().keyboard.press("Enter");
      await page().keyboard.press("Tab");
      expect(await page().evaluate("document.activeElement.textContent")).toBe("Create project");
    });

    test("a table row has a bounded width on a 4K screen", async () => {
      await using tab = await fixture.visitor.openTab();
      await tab.page.setViewportSize({ width: 3_840, height: 2_160 });
      await openWhole("/providers", tab);
      const box = await tab.page.getByRole("table", { name: "Providers" }).boundingBox();
      expect(box?.width).toBeLessThanOrEqual(rowLengthMax);
    });

    test("a page is centred on a wide screen", async () => {
      await using tab = await fixture.visitor.openTab();
      await tab.page.setViewportSize({ width: 2_560, height: 1_440 });
      await openWhole("/providers", tab);
      const { x = 0, width = 0 } = (await tab.page.locator(".console-page").boundingBox()) ?? {};
      const { width: before = 0 } = (await tab.page.getByRole("navigation", { name: "Main" }).boundingBox()) ?? {};
      expect(width).toBeGreaterThan(1_800);
      // A scroll bar may take a part of the right side.
      expect(Math.abs(x - before - (2_560 - x - width))).toBeLessThan(20);
    });

    test("a project, an endpoint and a token are made without a pointer", async () => {
      const { keyboard } = page();
      // A dialog takes the focus once rendered, and would take it from a focused field.
      const hasFocus = async () => await dialog().locator(":focus").waitFor();
      await openWhole("/projects");
      await button("Create project").focus();
      await keyboard.press("Enter");
      await hasFocus();
      await field("Name").focus();
      await keyboard.type("By keyboard");
      await keyboard.press("Enter");
      await page().getByRole("heading", { name: "By keyboard" }).waitFor();
      await page().getByRole("link", { name: "Endpoints" }).press("Enter");
      await button("Create endpoint").press("Enter");
      await hasFocus();
      await field("Slug").press("h");
      await button("Add target").press("Enter");
      await page().getByRole("combobox", { name: "Provider 1" }).focus();
      await keyboard.type("mock");
      await field("Model 1").focus();
      await keyboard.type("m");
      await keyboard.press("Enter");
      await page().getByRole("cell", { name: "h", exact: true }).waitFor();
      await page().getByRole("link", { name: "Tokens", exact: true }).press("Enter");
      await button("Create token").press("Enter");
      await hasFocus();
      await field("Name").focus();
      await keyboard.type("t");
      await keyboard.press("Enter");
      await page().getByLabel("Token t", { exact: true }).waitFor();
      await button("I have copied it").press("Enter");
    });

    test("messages after an action are in a live region", async () => {
      const isLive = async (text: string | RegExp) =>
        await page()
          .locator("[aria-live]:not([aria-live=off]), [role=alert], [role=status], output")
          .filter({ hasText: text })
          .first()
          .waitFor();
      await openWhole(`/projects/${fixture.shop}/endpoints`);
      const summaries = page().getByRole("switch", { name: "summaries" });
      await summaries.click();
      await isLive("summaries is inactive");
      await summaries.click();
      await isLive(/summaries is active/);
      await fixture.control.call("svc_create_token", { project: fixture.shop, name: "leaving", scopes: ["chat"] });
      await openWhole(`/projects/${fixture.shop}/tokens`);
      await page()
        .getByRole("row", { name: /^leaving/ })
        .getByRole("button", { name: "Revoke" })
        .click();
      await dialog().getByRole("button", { name: "Revoke" }).click();
      await isLive("leaving is revoked.");
      await openWhole(`/projects/${fixture.shop}/guardrails`);
      await field("Text").fill("Write to jane@example.com.");
      await button("Check the text").click();
      await isLive("jane@example.com");
      await openWhole("/audit");
      await button("Verify the log").click();
      await isLive("unchanged");
      await openWhole("/projects");
      await page().route("**/control/mcp", async (route) => await route.abort());
      await button("Create project").click();
      await field("Name").fill("Never made");
      await dialog().getByRole("button", { name: "Create project" }).click();
      await isLive("The gateway is not responding.");
      await page().unroute("**/control/mcp");
      await page().keyboard.press("Escape");
      await button("Discard").click();
      await dialog().waitFor({ state: "detached" });
      expect(fixture.visitor.takeComplaints().filter((text) => !text.includes("ERR_FAILED"))).toEqual([]);
    });

    test("animations are off when the system asks for reduced motion, and short otherwise", async () => {
      for (const [reducedMotion, longestMs] of [
        ["reduce", 0],
        ["no-preference", motionMsMax],
      ] as const) {
        await page().emulateMedia({ reducedMotion });
        await open("/projects");
        await button("Create project").click();
        await dialog().waitFor();
        const longer = (await page().evaluate<readonly Motion[]>(motions)).filter(({ ms }) => ms > longestMs);
        expect(longer).toEqual([]);
        await page().keyboard.press("Escape");
        await dialog().waitFor({ state: "detached" });
      }
      await page().emulateMedia({ reducedMotion: "reduce" });
    });
  });
}

interface Motion {
  readonly of: string;
  readonly ms: number;
}

/** All transitions and animations of the page's styles, except those that indicate progress. */
const motions = `[...document.querySelectorAll("body *")]
  .filter((element) => element.closest('[aria-label="Loading"], .mantine-Loader-root') === null)
  .map((element) => {
    const { transitionDuration, transitionProperty, animationDuration, animationName } = getComputedStyle(element);
    const longest = (text) => Math.max(...text.split(",").map((each) => parseFloat(each) * (each.includes("ms") ? 1 : 1_000)));
    const moves = [transitionProperty === "none" ? 0 : longest(transitionDuration), animationName === "none" ? 0 : longest(animationDuration)];
    return { of: String(element.className?.baseVal ?? element.className), ms: Math.max(...moves) };
  })`;

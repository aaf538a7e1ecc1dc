import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { forms, pages, panels } from "../../src/console/places.ts";

/** Common widths, from a phone to 4K. */
const sizes = {
  desktop: { width: 1_440, height: 900 },
  phone: { width: 360, height: 740 },
  "4k": { width: 3_840, height: 2_160 },
} as const;
const screenshots = fileURLToPath(new URL("../../../../.results/console", import.meta.url));

/** Every page and panel in both themes, checked by axe and saved as screenshots; several concurrently. */
export function describeLook(opened: () => ConsoleFixture): void {
  describe("themes and accessibility", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;

    beforeAll(async () => {
      fixture = opened();
      await page().emulateMedia({ reducedMotion: "reduce" });
    });
    afterEach(() => {
      expect(fixture.visitor.takeComplaints()).toEqual([]);
    });

    /** All rules in the light theme; the dark one differs in colours only, and other widths are for people. */
    async function judge(name: string, visitor: ConsoleVisitor, isWhole = false): Promise<readonly string[]> {
      const found: string[] = [];
      for (const scheme of ["light", "dark"] as const) {
        await visitor.page.emulateMedia({ colorScheme: scheme });
        // A panel has the same width on large and small screens.
        const isLarge = isWhole && scheme === "light";
        const widths = isLarge ? (["4k", "phone", "desktop"] as const) : (["phone", "desktop"] as const);
        await keepPictures(`${name}-${scheme}`, visitor.page, widths);
        found.push(...(await visitor.accessibilityViolations(scheme === "light" ? "all" : "colours")));
      }
      await visitor.page.emulateMedia({ colorScheme: "light" });
      return found;
    }

    /** Leaves the page at the last width. */
    async function keepPictures(name: string, at: Page, widths: readonly (keyof typeof sizes)[]): Promise<void> {
      for (const width of widths) {
        await at.setViewportSize(sizes[width]);
        // A PNG takes several times the CPU time.
        const path = `${screenshots}/${width}/${name}.jpeg`;
        await at.screenshot({ path, type: "jpeg", quality: 85, fullPage: true, animations: "disabled" });
      }
    }

    const looks = [...pages, ...forms, ...panels].map((look) => {
      const [name, address, button] = look;
      return { name, address, button, hasForm: forms.includes(look) };
    });

    describe("each page and panel", () => {
      test.concurrent.for(looks)(
        "$name has no accessibility violation in either theme",
        async ({ name, address, button, hasForm }, { expect }) => {
          await using tab = await fixture.visitor.openTab();
          await tab.page.emulateMedia({ reducedMotion: "reduce" });
          await tab.go(address(fixture));
          await tab.settle();
          await tab.page.getByRole("heading").first().waitFor();
          if (button !== undefined) {
            await tab.page.getByRole("button", { name: button, exact: true }).first().click();
            if (hasForm) await tab.page.getByRole("dialog").locator("form").waitFor();
            await tab.settle();
          }
          expect(await judge(name, tab, button === undefined)).toEqual([]);
          expect(tab.takeComplaints()).toEqual([]);
        },
      );
    });

    test("the trail of a request has no accessibility violation in either theme", async () => {
      await page().goto("/console/requests");
      await page().getByRole("table", { name: "Requests" }).getByRole("button").first().click();
      await page().getByRole("dialog", { name: "Request" }).getByText("Request id").waitFor();
      expect(await judge("request", fixture.visitor)).toEqual([]);
    });

    test("the list of a person's sessions has no accessibility violation in either theme", async () => {
      await page().goto("/console/projects");
      await page()
        .getByRole("button", { name: /^Signed in as/ })
        .click();
      await page().getByRole("menuitem", { name: "Your sessions" }).click();
      await page().getByRole("dialog", { name: "Your sessions" }).getByText("This one").waitFor();
      expect(await judge("own-sessions", fixture.visitor)).toEqual([]);
      await page().keyboard.press("Escape");
      await page().getByRole("dialog", { name: "Your sessions" }).waitFor({ state: "detached" });
    });

    test("the sign-in page has no accessibility violation in either theme", async () => {
      await page()
        .getByRole("button", { name: /^Signed in as/ })
        .click();
      await page().getByRole("menuitem", { name: "Sign out" }).click();
      await page().getByRole("textbox", { name: "Admin key" }).waitFor();
      expect(await judge("sign-in", fixture.visitor)).toEqual([]);
    });
  });
}

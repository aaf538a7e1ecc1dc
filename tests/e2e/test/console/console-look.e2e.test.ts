import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleDesk, openDesk } from "../../src/console/console-desk.ts";
import { forms, pages, panels } from "../../src/console/places.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";

const chromiumPath = findChromium();
/** Widths that people have, from a phone to 4K. */
const sizes = {
  desktop: { width: 1_440, height: 900 },
  phone: { width: 360, height: 740 },
  "4k": { width: 3_840, height: 2_160 },
} as const;
const screenshots = fileURLToPath(new URL("../../../../.results/console", import.meta.url));

/** Every page and panel in both themes, looked at by axe and kept as a picture for people. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "look of the console", () => {
  let desk: ConsoleDesk;
  const page = () => desk.visitor.page;

  beforeAll(async () => {
    desk = await openDesk(chromiumPath ?? "");
    await page().emulateMedia({ reducedMotion: "reduce" });
  });
  afterAll(async () => await desk?.stop());
  afterEach(() => {
    expect(desk.visitor.takeComplaints()).toEqual([]);
  });

  /** All rules in the light; the dark theme differs in its colours alone, and other widths are for people to look at. */
  async function judge(name: string): Promise<void> {
    const found: string[] = [];
    for (const scheme of ["light", "dark"] as const) {
      await page().emulateMedia({ colorScheme: scheme });
      await keepPictures(`${name}-${scheme}`, scheme === "light" ? ["4k", "phone", "desktop"] : ["phone", "desktop"]);
      found.push(...(await desk.visitor.accessibilityViolations(scheme === "light" ? "all" : "colours")));
    }
    await page().emulateMedia({ colorScheme: "light" });
    expect(found).toEqual([]);
  }

  /** Ends at the width of the last one. */
  async function keepPictures(name: string, widths: readonly (keyof typeof sizes)[]): Promise<void> {
    for (const width of widths) {
      await page().setViewportSize(sizes[width]);
      const path = `${screenshots}/${width}/${name}.png`;
      await page().screenshot({ path, fullPage: true, animations: "disabled" });
    }
  }

  const looks = [...pages, ...forms, ...panels].map((look) => {
    const [name, address, button] = look;
    return { name, address, button, hasForm: forms.includes(look) };
  });

  test.each(looks)(
    "$name has no accessibility violation in either theme",
    async ({ name, address, button, hasForm }) => {
      await page().goto(`/console${address(desk)}`);
      await page().getByRole("heading").first().waitFor();
      await page().waitForLoadState("networkidle");
      if (button !== undefined) {
        await page().getByRole("button", { name: button, exact: true }).first().click();
        if (hasForm) await page().getByRole("dialog").locator("form").waitFor();
        await page().waitForLoadState("networkidle");
      }
      await judge(name);
    },
  );

  test("the trail of a request has no accessibility violation in either theme", async () => {
    await page().goto("/console/requests");
    await page().getByRole("table", { name: "Requests" }).getByRole("button").first().click();
    await page().getByRole("dialog", { name: "Request" }).getByText("Request id").waitFor();
    await judge("request");
  });

  test("the sign-in has no accessibility violation in either theme", async () => {
    await page().getByRole("dialog", { name: "Request" }).waitFor();
    await page().keyboard.press("Escape");
    await page()
      .getByRole("button", { name: /^Signed in as/ })
      .click();
    await page().getByRole("menuitem", { name: "Sign out" }).click();
    await page().getByRole("textbox", { name: "Admin key" }).waitFor();
    await judge("sign-in");
  });
});

import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fillRequired, readRequired } from "../../src/console/fill-required.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { forms, pages } from "../../src/console/places.ts";
import { openSignInDesk, type SignInDesk } from "../../src/console/sign-in-desk.ts";
import { quietWithin, Traffic } from "../../src/console/traffic.ts";

const chromiumPath = findChromium();
/** Every page asks about what it needs, and one asks about nothing. */
const asking = pages.flatMap(([name, address]) => (name === "nowhere" ? [] : [{ name, address }]));
/** For the answer, and the drawing after it. */
const answerMs = 10_000;
const filled = forms.map(([name, address, label = ""]) => ({ name, address, label }));

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

    async function openAsOwner(address: string): Promise<void> {
      await desk.giveRole("owner");
      await page().goto(`/console${address}`);
      await page().getByRole("heading", { level: 1 }).waitFor();
      await page().waitForLoadState("networkidle");
    }

    test.each(asking)(
      "$name: what a lowered role forbids is not offered after the next answer",
      async ({ address }) => {
        await openAsOwner(address(desk));
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

    test("a policy and a document that are half typed are refused in words, and not taken away", async () => {
      await openAsOwner(`/projects/${desk.shop}/guardrails`);
      const length = page().getByRole("textbox", { name: "Max content length" });
      await length.fill("4000");
      await desk.giveRole("viewer");
      await page().getByRole("button", { name: "Save policy" }).click();
      await page().getByRole("alert").filter({ hasText: "role" }).waitFor();
      expect(await length.inputValue()).toBe("4 000");
      await openAsOwner("/system");
      const document = page().getByRole("textbox", { name: "Document" });
      await document.fill("{}");
      await desk.giveRole("viewer");
      await page().getByRole("button", { name: "Show the plan" }).click();
      await page().getByRole("alert").filter({ hasText: "role" }).waitFor();
      expect(await document.inputValue()).toBe("{}");
    });

    test.each(filled)(
      "$name: a form that is sent with a lowered role is refused in words, and not taken away",
      async (form) => {
        await openAsOwner(form.address(desk));
        await page().getByRole("button", { name: form.label, exact: true }).first().click();
        const dialog = page().getByRole("dialog");
        const typed = await fillRequired(dialog);
        await desk.giveRole("viewer");
        await dialog.locator('button[type="submit"]').click();
        await dialog.getByRole("alert").filter({ hasText: "role" }).waitFor();
        expect(await readRequired(dialog)).toEqual(typed);
        await page().reload();
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

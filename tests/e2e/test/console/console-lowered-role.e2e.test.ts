import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fillRequired, readRequired } from "../../src/console/fill-required.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { forms } from "../../src/console/places.ts";
import { openSignInDesk, type SignInDesk } from "../../src/console/sign-in-desk.ts";

const chromiumPath = findChromium();
const filled = forms.map(([name, address, label = ""]) => ({ name, address, label }));

/** A form that is filled in while the role of its reader is lowered. */
describe.skipIf(chromiumPath === undefined)(
  chromiumPath === undefined ? noChromium : "every form while a role is lowered",
  () => {
    let desk: SignInDesk;
    const page = () => desk.ann.page;

    beforeAll(async () => {
      desk = await openSignInDesk(chromiumPath ?? "");
    });
    afterAll(async () => await desk?.stop());
    afterEach(() => {
      // Chromium notes each refusal.
      expect(desk.ann.takeComplaints().filter((text) => !/\b40[03]\b/.test(text))).toEqual([]);
    });

    test("a policy and a document that are half typed are refused in words, and not taken away", async () => {
      await desk.openAsOwner(`/projects/${desk.shop}/guardrails`);
      const length = page().getByRole("textbox", { name: "Max content length" });
      await length.fill("4000");
      await desk.giveRole("viewer");
      await page().getByRole("button", { name: "Save policy" }).click();
      await page().getByRole("alert").filter({ hasText: "role" }).waitFor();
      expect(await length.inputValue()).toBe("4 000");
      await desk.openAsOwner("/system");
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
        await desk.openAsOwner(form.address(desk));
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

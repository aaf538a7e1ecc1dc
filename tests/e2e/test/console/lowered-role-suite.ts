import type { Locator } from "playwright-core";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { fillRequired, readRequired } from "../../src/console/fill-required.ts";
import { batchesOfForms } from "../../src/console/places.ts";
import type { SignInFixture } from "../../src/console/sign-in-fixture.ts";

/** Half of the forms. */
const batches = batchesOfForms(6);

/** A form with input while its user's role is lowered. */
export function describeLoweredRole(opened: () => SignInFixture): void {
  describe("every form after a role is lowered", () => {
    let fixture: SignInFixture;
    const page = () => fixture.ann.page;

    beforeAll(async () => {
      fixture = opened();
    });
    afterEach(() => {
      // Chromium reports each refusal.
      expect(fixture.ann.takeComplaints().filter((text) => !/\b40[03]\b/.test(text))).toEqual([]);
    });

    test("a half-typed policy and document are refused with a message, and keep their input", async () => {
      await fixture.openAsOwner(`/projects/${fixture.shop}/guardrails`);
      const length = page().getByRole("textbox", { name: "Max content length" });
      await length.fill("4000");
      await fixture.giveRole("viewer");
      await page().getByRole("button", { name: "Save policy" }).click();
      await page().getByRole("alert").filter({ hasText: "role" }).waitFor();
      expect(await length.inputValue()).toBe("4000");
      await fixture.openAsOwner("/system");
      const document = page().getByRole("textbox", { name: "Document" });
      await document.fill("{}");
      await fixture.giveRole("viewer");
      await page().getByRole("button", { name: "Show the plan" }).click();
      await page().getByRole("alert").filter({ hasText: "role" }).waitFor();
      expect(await document.inputValue()).toBe("{}");
    });

    test.each(batches)(
      "$names: a form that is sent with a lowered role is refused with a message, and stays",
      async ({ places }) => {
        await fixture.giveRole("owner");
        const filled = await Promise.all(places.map(fill));
        await fixture.giveRole("viewer");
        await Promise.all(filled.map(expectRefused));
      },
      120_000,
    );

    async function fill({ address, label }: (typeof batches)[number]["places"][number]): Promise<Filled> {
      const tab = await fixture.ann.openTab();
      await tab.page.goto(`/console${address(fixture)}`);
      await tab.page.getByRole("button", { name: label, exact: true }).first().click();
      const dialog = tab.page.getByRole("dialog");
      return { tab, dialog, typed: await fillRequired(dialog) };
    }
  });
}

interface Filled {
  readonly tab: ConsoleVisitor;
  readonly dialog: Locator;
  /** In its required fields. */
  readonly typed: readonly string[];
}

async function expectRefused({ tab, dialog, typed }: Filled): Promise<void> {
  await dialog.locator('button[type="submit"]').click();
  await dialog.getByRole("alert").filter({ hasText: "role" }).waitFor();
  expect(await readRequired(dialog)).toEqual(typed);
  // Chromium reports each refusal.
  expect(tab.takeComplaints().filter((text) => !/\b40[03]\b/.test(text))).toEqual([]);
  await tab.leave();
}

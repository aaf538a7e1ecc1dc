import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import { Keys } from "../../src/console/keys.ts";
import { pageTools } from "../../src/console/page-tools.ts";

/** Whole flows without a pointer: Tab reaches each control, which shows the focus, and each dialog restores it. */
export function describeKeyboard(opened: () => ConsoleFixture): void {
  describe("the keyboard alone", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { dialog, open } = pageTools(page);
    const keys = new Keys(page);

    beforeAll(async () => {
      fixture = opened();
      // A border with an animated colour would be compared before it has changed.
      await page().emulateMedia({ reducedMotion: "reduce" });
    });
    afterAll(async () => await page().emulateMedia({ reducedMotion: null }));

    async function expectFocus(name: string): Promise<void> {
      await expect.poll(async () => await keys.focused()).toBe(name);
    }

    /** Deletes a row by its button and the confirmation, without losing the focus. */
    async function deleteRow(name: string): Promise<void> {
      await keys.press("Delete", name);
      await expectOpen();
      await keys.press("Delete");
      await row(name).waitFor({ state: "detached" });
      await expect.poll(async () => await keys.focused()).not.toBe("");
    }

    /** The dialog has closed, and its opener has the focus. */
    async function expectClosed(opener: string): Promise<void> {
      await dialog().waitFor({ state: "detached" });
      await expectFocus(opener);
    }

    /** The dialog has opened, and has taken the focus. */
    async function expectOpen(): Promise<void> {
      await page().locator('[role="dialog"]:focus-within').waitFor();
    }

    const row = (name: string) => page().getByRole("row", { name: new RegExp(`^${name}`) });

    test("adds, edits and deletes an OAuth connection", async () => {
      await open(`/projects/${fixture.api}/connections`);
      await keys.press("Add connection");
      await dialog().locator("form").waitFor();
      await expectOpen();
      await keys.type("Name", "A by keyboard");
      await keys.type("Token URL", "http://127.0.0.1:9/token");
      await keys.type("Client ID", "a");
      await keys.type("Client secret", "b");
      await page().keyboard.press("Enter");
      await expectClosed("Add connection");
      await row("A by keyboard").waitFor();
      await page().reload();
      await row("A by keyboard").waitFor();
      await keys.press("Edit", "A by keyboard");
      await dialog().locator("form").waitFor();
      await expectOpen();
      await keys.type("Name", "B by keyboard");
      await page().keyboard.press("Enter");
      await expectClosed("Edit");
      await row("B by keyboard").waitFor();
      await deleteRow("B by keyboard");
    });

    test("adds, edits and deletes an issuer, and looks at its subjects", async () => {
      await open(`/projects/${fixture.shop}/issuers`);
      await keys.press("Add issuer");
      await dialog().locator("form").waitFor();
      await expectOpen();
      await keys.type("Issuer", "https://a.keyboard.example.com");
      await keys.type("Audience", "a");
      await keys.to("chat");
      await page().keyboard.press("Space");
      await keys.press("Add issuer");
      await expectClosed("Add issuer");
      await page().reload();
      await row("https://a.keyboard").waitFor();
      await keys.press("Subjects", "https://a.keyboard");
      await page().getByRole("heading", { name: "Subjects of https://a.keyboard.example.com" }).waitFor();
      await expectFocus("Subjects");
      await keys.press("Edit", "https://a.keyboard");
      await dialog().locator("form").waitFor();
      await expectOpen();
      await keys.type("Audience", "b");
      await page().keyboard.press("Enter");
      await expectClosed("Edit");
      await deleteRow("https://a.keyboard");
    });

    test("shows the change of a tool, and approves it", async () => {
      await open(`/projects/${fixture.tools}/upstreams`);
      await keys.press("up");
      await expectOpen();
      const listed = page().waitForResponse(
        (reply) => reply.request().postData()?.includes("svc_refresh_upstream") === true,
      );
      await keys.press("List tools again");
      await listed;
      await page().getByRole("button", { name: "Call repeat" }).waitFor();
      fixture.upstream.description = "Repeats a text, and tells others.";
      // A button with a call in progress ignores presses.
      const idle = page().locator("button:not([data-loading])");
      await page().getByRole("button", { name: "List tools again" }).and(idle).waitFor();
      await expectFocus("List tools again");
      await page().keyboard.press("Enter");
      const change = page().getByRole("region", { name: "What has changed in repeat" });
      await change.waitFor();
      await keys.to("What has changed in repeat");
      await keys.press("Approve repeat");
      await change.waitFor({ state: "detached" });
      await expectOpen();
      await page().keyboard.press("Escape");
      await expectClosed("up");
    });

    test("rotates a webhook's secret in stages, and promotes the new one", async () => {
      await open(`/projects/${fixture.shop}/webhooks/${fixture.webhookId}`);
      await keys.press("Rotate secret");
      await expectOpen();
      await keys.to("With an overlap of a day");
      await page().keyboard.press("ArrowDown");
      await expectFocus("Staged");
      await keys.press("Make a new secret");
      await expectClosed("Rotate secret");
      await page().getByText("shown only once").waitFor();
      await keys.press("I have copied it");
      await page().getByText("shown only once").waitFor({ state: "detached" });
      await expect.poll(async () => await keys.focused()).not.toBe("");
      await page().reload();
      await keys.press("Promote the new secret");
      await page().getByRole("button", { name: "Promote the new secret" }).waitFor({ state: "detached" });
      await expect.poll(async () => await keys.focused()).not.toBe("");
    });
  });
}

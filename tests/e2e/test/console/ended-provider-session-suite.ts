import { beforeAll, describe, expect, test } from "vitest";
import type { SignInFixture } from "../../src/console/sign-in-fixture.ts";

interface Sessions {
  readonly console_sessions: readonly { readonly id: number; readonly name: string }[];
}

/** A person without an admin key, whose session ends while a form is open. */
export function describeEndedProviderSession(opened: () => SignInFixture): void {
  describe("a session of an identity provider that ends", () => {
    let fixture: SignInFixture;
    const page = () => fixture.ann.page;

    beforeAll(() => {
      fixture = opened();
    });

    async function endSessions(): Promise<void> {
      const { control } = fixture;
      const { console_sessions: sessions } = await control.call<Sessions>("svc_list_console_sessions");
      for (const { id } of sessions) await control.call("svc_end_console_session", { session_id: id });
    }

    test("is renewed in another tab, and the form continues with its input", async () => {
      await fixture.openAsOwner(`/projects/${fixture.shop}/webhooks`);
      await page().getByRole("button", { name: "Create webhook" }).click();
      const form = page().getByRole("dialog", { name: "Create webhook" });
      await form.getByRole("textbox", { name: "Name" }).fill("Half typed");
      await endSessions();
      await form.getByRole("button", { name: "Create webhook" }).click();
      const again = page().getByRole("dialog", { name: "Your session has ended" });
      const link = again.getByRole("link", { name: "Sign in with Example Corp, in a new tab" });
      await link.waitFor();
      // The page checks the session meanwhile.
      await page().evaluate("void dispatchEvent(new Event('visibilitychange'))");
      fixture.expectAnn("owner");
      const [tab] = await Promise.all([page().context().waitForEvent("page"), link.click()]);
      await tab.getByRole("navigation", { name: "Main" }).waitFor();
      await tab.close();
      await again.waitFor({ state: "detached" });
      expect(await form.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Half typed");
      await page().keyboard.press("Escape");
      await page().getByRole("button", { name: "Discard" }).click();
      fixture.ann.takeComplaints();
    });
  });
}

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChangesSent } from "../../src/console/changes-sent.ts";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { placeOf, readTyped, type TypedForm, typedForms, typeInto } from "../../src/console/typed-forms.ts";

const keeper = "Keeper of forms";

/** A session that ends while each form is open: input stays, and is saved once. */
export function describeEndedSession(opened: () => ConsoleFixture): void {
  describe("a session that ends during a form", () => {
    let fixture: ConsoleFixture;
    let visitor: ConsoleVisitor;
    let key: string;
    const page = () => visitor.page;

    beforeAll(async () => {
      fixture = opened();
      const made = await fixture.control.call<{ key: string }>("svc_create_admin_key", { name: keeper, role: "owner" });
      key = made.key;
      visitor = await fixture.visitor.openStranger();
      page().on("dialog", (asked) => void asked.accept());
      await page().goto("/console");
      await visitor.signIn(key);
    });
    afterAll(async () => await visitor?.leave());

    /** Another administrator ends the session; the browser still sends its cookie. */
    async function revoke(): Promise<void> {
      const { console_sessions: sessions } = await fixture.control.call<{
        console_sessions: readonly { readonly id: number; readonly name: string }[];
      }>("svc_list_console_sessions");
      const own = sessions.filter(({ name }) => name === keeper);
      for (const { id } of own) await fixture.control.call("svc_end_console_session", { session_id: id });
    }

    /** The session expires; the browser deletes the cookie. */
    const expire = async () => await page().context().clearCookies();

    async function sendAndSignIn(form: TypedForm): Promise<void> {
      const again = page().getByRole("dialog", { name: "Your session has ended" });
      const submit = placeOf(page(), form).getByRole("button", { name: form.submit, exact: true });
      await submit.click({ timeout: 5_000 }).catch(async (err: unknown) => {
        // A request that the page repeats by itself may have met the end first, and its dialog covers the form.
        if (!(await again.isVisible())) throw err;
      });
      await again.getByRole("textbox", { name: "Admin key" }).fill(key);
      await page().keyboard.press("Enter");
      await again.waitFor({ state: "detached" });
    }

    test.each(typedForms)("$name: its input survives two ends, and is saved once", async (form) => {
      await page().goto(`/console${form.address(fixture)}`);
      await typeInto(page(), form);
      const typed = await readTyped(page(), form);
      expect(typed).toEqual(form.typed);
      const changes = new ChangesSent(page());
      for (const end of [revoke, expire]) {
        await end();
        await sendAndSignIn(form);
        expect(await readTyped(page(), form)).toEqual(typed);
      }
      expect(changes.made).toEqual([]);
      await placeOf(page(), form).getByRole("button", { name: form.submit, exact: true }).click();
      await expect.poll(() => changes.made).toEqual([form.operation]);
      if (form.opener !== undefined) await placeOf(page(), form).waitFor({ state: "detached" });
      await visitor.settle();
      expect(changes.made).toEqual([form.operation]);
      // Chromium reports each refusal, and that the page asked before it was left.
      expect(visitor.takeComplaints().filter((text) => !/\b401\b|beforeunload/.test(text))).toEqual([]);
    });

    test("a document is applied once when the session ends between its plan and the change", async () => {
      const form = typedForms.find(({ name }) => name === "document");
      if (form === undefined) throw new Error("The document is one of the forms.");
      await page().goto("/console/system");
      await typeInto(page(), form);
      await page().getByRole("button", { name: "Show the plan" }).click();
      await page().getByText("1 change would be made.").waitFor();
      await revoke();
      await sendAndSignIn({ ...form, submit: "Apply these changes" });
      expect(await readTyped(page(), form)).toEqual(form.typed);
      const changes = new ChangesSent(page());
      await page().getByRole("button", { name: "Apply these changes" }).click();
      await page().getByText("1 change was made.").waitFor();
      await expect.poll(() => changes.made).toEqual(["svc_apply_config"]);
      const { projects } = await fixture.control.call<{ projects: readonly { readonly name: string }[] }>(
        "svc_list_projects",
      );
      expect(projects.filter(({ name }) => name === "Of a document")).toHaveLength(1);
      visitor.takeComplaints();
    });
  });
}

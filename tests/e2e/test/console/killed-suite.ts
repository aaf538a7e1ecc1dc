import { beforeAll, describe, expect, test } from "vitest";
import { ChangesSent } from "../../src/console/changes-sent.ts";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import type { FaultyNetworkFixture } from "../../src/console/faulty-network-fixture.ts";
import { placeOf, readTyped, renamed, type TypedForm, typedForms, typeInto } from "../../src/console/typed-forms.ts";

/** A form with input, in a tab. */
interface OpenForm {
  readonly form: TypedForm;
  readonly tab: ConsoleVisitor;
  readonly changes: ChangesSent;
}

interface AuditLog {
  readonly entries: readonly { readonly event: string }[];
}

interface Connections {
  readonly oauth_connections: readonly { readonly name: string }[];
}

/** Forms whose result has the typed name. */
const createdByForms = 11;

/** A gateway that is killed while every form is being saved: input stays, and is saved once. */
export function describeKilled(opened: () => FaultyNetworkFixture): void {
  describe("a gateway that stops while forms are saved", () => {
    let fixture: FaultyNetworkFixture;

    beforeAll(() => {
      fixture = opened();
    });

    async function openAll(word: string): Promise<readonly OpenForm[]> {
      const forms: OpenForm[] = [];
      for (const form of typedForms.map((each) => renamed(each, word))) {
        const tab = await fixture.visitor.openTab();
        await tab.go(form.address(fixture));
        await typeInto(tab.page, form);
        forms.push({ form, tab, changes: new ChangesSent(tab.page) });
      }
      return forms;
    }

    async function expectSavedOnce({ form, tab, changes }: OpenForm): Promise<void> {
      const { page } = tab;
      if (changes.made.length === 0) {
        expect({ form: form.name, typed: await readTyped(page, form) }).toEqual({ form: form.name, typed: form.typed });
        await submitOf({ form, tab }).click();
      }
      await expect.poll(() => [form.name, changes.made]).toEqual([form.name, [form.operation]]);
      if (form.opener !== undefined) await placeOf(page, form).waitFor({ state: "detached" });
      await tab.settle();
      expect([form.name, changes.made]).toEqual([form.name, [form.operation]]);
    }

    /** Number of items created under a form's name, by the audit log. */
    async function madeOf({ operation, typed }: TypedForm): Promise<readonly [name: string, made: number] | undefined> {
      const target = typed["Name"] ?? typed["Slug"] ?? typed["Prefix"] ?? typed["Issuer"];
      const [, kind] = /^svc_create_(.+)$/.exec(operation) ?? [];
      if (kind === undefined || target === undefined) return undefined;
      // A connection is logged once it has a token, which this address never gives.
      if (kind === "oauth_connection") return [target, await connectionsOf(target)];
      const { entries } = await fixture.control.call<AuditLog>("svc_query_audit_log", { target });
      return [target, entries.filter(({ event }) => event === `${kind}.created`).length];
    }

    async function connectionsOf(name: string): Promise<number> {
      const args = { project: fixture.api };
      const { oauth_connections: all } = await fixture.control.call<Connections>("svc_list_oauth_connections", args);
      return all.filter((each) => each.name === name).length;
    }

    test.each([
      { signal: "SIGKILL", word: "killed" },
      { signal: "SIGTERM", word: "ended" },
    ] as const)(
      "$signal: each form reports the failure, keeps its input, and is saved once",
      async ({ signal, word }) => {
        const forms = await openAll(word);
        const [child] = fixture.product.processes;
        // The calls have been sent, and none is answered.
        if (signal === "SIGKILL") child?.process.kill("SIGSTOP");
        const saving = forms.map(async (each) => {
          await submitOf(each).click();
          if (signal === "SIGKILL") await placeOf(each.tab.page, each.form).locator("[data-loading]").first().waitFor();
        });
        if (signal === "SIGKILL") await Promise.all(saving);
        await Promise.all([...saving, fixture.product.restart(0, signal)]);
        await Promise.all(forms.map(expectEnd));
        for (const each of forms) await expectSavedOnce(each);
        const made = await Promise.all(forms.map(async ({ form }) => await madeOf(form)));
        expect(made.filter((each) => each !== undefined && each[1] !== 1)).toEqual([]);
        expect(made.filter((each) => each !== undefined)).toHaveLength(createdByForms);
        for (const { tab } of forms) await tab.leave();
      },
      300_000,
    );
  });
}

function submitOf({ form, tab }: Pick<OpenForm, "form" | "tab">) {
  return placeOf(tab.page, form).getByRole("button", { name: form.submit, exact: true });
}

/** The form was saved, or shows the error with its request id, or that no answer came. */
async function expectEnd({ form, tab, changes }: OpenForm): Promise<void> {
  const alert = placeOf(tab.page, form).getByRole("alert");
  const said = async () => {
    if (changes.made.length > 0) return "saved";
    const texts = await alert.allTextContents();
    return texts.find((text) => /The gateway is not responding|req-/.test(text)) === undefined
      ? texts.join()
      : "failed";
  };
  await expect
    .poll(async () => [form.name, /^(?:saved|failed)$/.test(await said()) || (await said())])
    .toEqual([form.name, true]);
}

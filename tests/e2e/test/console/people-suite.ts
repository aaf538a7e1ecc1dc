import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { uniqueName } from "../../src/control-plane-client.ts";

/** Well below the 15 s after which a page checks its session by itself. */
const atOnce = { timeout: 5_000 } as const;

interface Key {
  readonly id: number;
  readonly name: string;
  readonly key: string;
}

/** One browser in which one person follows another, or is signed in in several tabs. */
export function describePeople(opened: () => ConsoleFixture): void {
  describe("several people at one browser", () => {
    let visitor: ConsoleVisitor;
    let ann: Key;
    let ben: Key;
    const page = () => visitor.page;
    const { button, field, open } = pageTools(page);
    const shop = () => opened().shop;

    beforeEach(async () => {
      ann = await makeKey({ role: "owner" });
      ben = await makeKey({ role: "viewer", projects: [shop()] });
      visitor = await opened().visitor.openStranger();
      await page().goto("/console/projects");
      await visitor.signIn(ann.key);
    });
    afterEach(async () => {
      // Chromium reports each refusal.
      expect(visitor.takeComplaints().filter((text) => !/\b40[13]\b/.test(text))).toEqual([]);
      await visitor.leave();
    });

    test("another person who signs in on top of the page sees no data of the first", async () => {
      await open("/system");
      await page().getByRole("cell", { name: ann.name }).first().waitFor();
      await button("Create admin key").click();
      await field("Name").fill("made by nobody");
      await endSessionsOf(ann);
      await comeToTheFront(page());
      await signInOnTop(page(), ben.key);
      await button(`Signed in as ${ben.name}`).waitFor();
      await expect.poll(async () => await field("Name").count()).toBe(0);
      await expect.poll(async () => await linksIn(page())).not.toContain("Providers");
      await visitor.settle();
      expect(await button("Create admin key").count()).toBe(0);
      expect(await page().getByText(ann.name).count()).toBe(0);
      await page().getByRole("link", { name: "Projects", exact: true }).click();
      await page().getByRole("table", { name: "Projects" }).waitFor();
      expect(await page().getByRole("table", { name: "Projects" }).locator("tbody").getByRole("row").count()).toBe(1);
      expect(await button("Create project").count()).toBe(0);
    });

    test("a sign-out in one tab ends the others, and unsaved input there waits for the same person", async () => {
      const [still, typed] = await tabs(2);
      await typed.goto(`/console/projects/${shop()}/settings`);
      await typed.getByRole("textbox", { name: "Name", exact: true }).fill("half typed");
      await still.goto("/console/system");
      await still.getByRole("cell", { name: ann.name }).first().waitFor();
      await signOut(page());
      await still.getByText("The first key was shown").waitFor(atOnce);
      expect(await still.getByText(ann.name).count()).toBe(0);
      const onTop = typed.getByRole("dialog", { name: "Your session has ended" });
      await onTop.waitFor(atOnce);
      await visitor.signIn(ann.key);
      await onTop.waitFor({ ...atOnce, state: "detached" });
      expect(await typed.getByRole("textbox", { name: "Name", exact: true }).inputValue()).toBe("half typed");
      await still.getByRole("navigation", { name: "Main" }).waitFor(atOnce);
      await signOut(page());
      await visitor.signIn(ben.key);
      await typed.getByRole("button", { name: `Signed in as ${ben.name}` }).waitFor(atOnce);
      await typed.getByRole("heading", { level: 1 }).waitFor();
      expect(await typed.content()).not.toContain("half typed");
    });

    test("a sign-out asks when it would lose input or a secret shown once", async () => {
      // Accepts the browser's question where the test itself leaves a page by its URL.
      page().on("dialog", (dialog) => void dialog.accept());
      const question = page().getByRole("dialog", { name: "Sign out?" });
      await open("/system");
      await field("Document").fill("{}");
      await signOut(page());
      await question.getByText("The document to apply is not saved").waitFor();
      await question.getByRole("button", { name: "Stay" }).click();
      expect(await field("Document").inputValue()).toBe("{}");
      await open(`/projects/${shop()}/settings`);
      await field("Name").fill("not saved");
      await signOut(page());
      await question.getByText("What you typed is not saved.").waitFor();
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      expect(await field("Name").inputValue()).toBe("not saved");
      await open(`/projects/${shop()}/tokens`);
      await button("Create token").click();
      await field("Name").fill("once");
      await page().getByRole("dialog").getByRole("button", { name: "Create token" }).click();
      const secret = (await page().getByLabel("Token once", { exact: true }).textContent()) ?? "";
      await signOut(page());
      await question.getByText("Token once is shown only once").waitFor();
      await question.getByRole("button", { name: "Stay" }).click();
      expect(await page().getByLabel("Token once", { exact: true }).textContent()).toBe(secret);
      await signOut(page());
      await question.getByRole("button", { name: "Sign out" }).click();
      await field("Admin key").waitFor();
      await visitor.signIn(ann.key);
      await page().getByRole("navigation", { name: "Main" }).waitFor();
      expect(await page().content()).not.toContain(secret);
      // No unsaved input is left.
      await signOut(page());
      await field("Admin key").waitFor();
    });

    test("a key that is revoked while its page is open ends the page with the next answer", async () => {
      await open("/providers");
      await opened().control.call("svc_revoke_admin_key", { admin_key_id: ann.id });
      await comeToTheFront(page());
      await page().getByRole("dialog", { name: "Your session has ended" }).waitFor(atOnce);
    });

    async function makeKey(rights: object): Promise<Key> {
      const name = uniqueName("person");
      const { id, key } = await opened().control.call<Key>("svc_create_admin_key", { name, ...rights });
      return { id, name, key };
    }

    async function endSessionsOf({ name }: Key): Promise<void> {
      const { control } = opened();
      const { console_sessions: sessions } = await control.call<{
        console_sessions: readonly { readonly id: number; readonly name: string }[];
      }>("svc_list_console_sessions");
      for (const session of sessions) {
        if (session.name === name) await control.call("svc_end_console_session", { session_id: session.id });
      }
    }

    async function tabs(count: 2): Promise<readonly [Page, Page]>;
    async function tabs(count: number): Promise<readonly Page[]> {
      return await Promise.all(Array.from({ length: count }, async () => await page().context().newPage()));
    }
  });
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Signed in as/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
}

async function signInOnTop(page: Page, key: string): Promise<void> {
  const again = page.getByRole("dialog", { name: "Your session has ended" });
  await again.getByRole("textbox", { name: "Admin key" }).fill(key);
  await again.getByRole("button", { name: "Sign in" }).click();
}

async function comeToTheFront(page: Page): Promise<void> {
  await page.evaluate("void dispatchEvent(new Event('visibilitychange'))");
}

async function linksIn(page: Page): Promise<readonly string[]> {
  return await page.getByRole("navigation", { name: "Main" }).getByRole("link").allTextContents();
}

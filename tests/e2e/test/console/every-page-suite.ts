import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ConsoleFixture } from "../../src/console/console-fixture.ts";
import type { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { type InterceptedCall, interceptCalls } from "../../src/console/intercepted-calls.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { forms, pages } from "../../src/console/places.ts";

const desktop = { width: 1_360, height: 860 };
const phone = { width: 360, height: 740 };
const calls = "*/control/mcp";

/** A script, a closing tag, a right-to-left override, and a long word without a break. */
const hostile = `<script>attacked = 1</script></td><img src="/x" onerror="attacked = 1">\u202Eerutuf eht ${"W".repeat(10_000)}`;
/** Fields with text from people, callers and others, unlike the gateway's ids and console URLs. */
const chosen = new Set(
  "name,description,error,last_error,last_failure,url,base_url,token_url,target,actor,model,user,issuer,audience,subject,excerpt,label,reason,hint,kind_label,prefix,slug,content,user_agent".split(
    ",",
  ),
);
const all = pages.map(([name, address]) => ({ name, address }));
/** Forms whose code is loaded separately from their page's. */
const laterForms = forms.flatMap(([name, address, label = ""]) =>
  name === "add-upstream" ? [] : [{ name, address, label }],
);
/** Every page reads from the gateway, except one. */
const asking = all.filter(({ name }) => name !== "nowhere");

/** Generic behaviour of every page; several concurrently. */
export function describeEveryPage(opened: () => ConsoleFixture): void {
  describe("every page", () => {
    let fixture: ConsoleFixture;
    const page = () => fixture.visitor.page;
    const { button, dialog, field } = pageTools(page);

    beforeAll(async () => {
      fixture = opened();
    });
    afterEach(async () => await page().unrouteAll({ behavior: "wait" }));

    const isToolCall = ({ body }: InterceptedCall) => body["method"] === "tools/call";

    describe("with hostile texts", () => {
      test.concurrent.for(all)(
        "$name: they are shown as text at any length, and the page keeps its width",
        async ({ address }, { expect }) => {
          await using tab = await fixture.visitor.openTab();
          await using _calls = await interceptCalls(tab.page, calls, async (call) => {
            await (isToolCall(call) ? call.change(withHostileTexts) : call.pass());
          });
          await tab.page.goto(`/console${address(fixture)}`);
          await tab.page.getByRole("heading").first().waitFor();
          await tab.settle();
          for (const size of [desktop, phone]) {
            await tab.page.setViewportSize(size);
            const wideElements = await tab.page.evaluate<readonly string[]>(tooWide);
            expect({ size, tooWide: wideElements }).toEqual({ size, tooWide: [] });
          }
          expect(await tab.page.evaluate("globalThis.attacked")).toBeUndefined();
          expect(tab.takeComplaints()).toEqual([]);
        },
      );
    });

    describe("with an unreachable gateway", () => {
      test.concurrent.for(asking)("$name: reports it, and loads after another try", async ({ address }, { expect }) => {
        await using tab = await fixture.visitor.openTab();
        // Other requests are answered: without a session the root would show its error instead of each page's.
        const away = await interceptCalls(tab.page, calls, async (call) => {
          await (isToolCall(call) ? call.abort() : call.pass());
        });
        await tab.page.goto(`/console${address(fixture)}`);
        const notice = tab.page.getByText("The gateway is not responding.").first();
        await notice.waitFor();
        await away[Symbol.asyncDispose]();
        await tab.page.getByRole("button", { name: "Try again", exact: true }).first().click();
        await tab.page.getByRole("heading", { level: 1 }).waitFor();
        await notice.waitFor({ state: "detached" });
        expect(tab.takeComplaints().filter((text) => !text.includes("ERR_FAILED"))).toEqual([]);
      });
    });

    describe("without a session", () => {
      test.concurrent.for(asking)("$name: a sign-in on top of the page renews it", async ({ address }, { expect }) => {
        await using tab = await fixture.visitor.openWindow();
        let session: "valid" | "ended" | "renewed" = "valid";
        const refuse = async (call: InterceptedCall) =>
          await call.answer(401, { ok: false, error: "The session has ended." });
        // The page checks its session periodically; a valid one removes the sign-in, so it stays ended until the sign-in is sent.
        await using _ = await interceptCalls(tab.page, "*/control/*", async (call) => {
          const isSignIn = call.verb === "POST" && !("jsonrpc" in call.body);
          if (isSignIn) session = "renewed";
          else if (session === "valid" && isToolCall(call)) session = "ended";
          const isQuestion = isToolCall(call) || call.verb === "GET";
          await (session === "ended" && isQuestion ? refuse(call) : call.pass());
        });
        await tab.page.goto(`/console${address(fixture)}`);
        const again = tab.page.getByRole("dialog", { name: "Your session has ended" });
        await again.getByRole("textbox", { name: "Admin key" }).fill(fixture.product.adminKey);
        await tab.page.keyboard.press("Enter");
        await again.waitFor({ state: "detached" });
        await tab.page.getByRole("heading", { level: 1 }).waitFor();
        // A refreshing list may use the new cookie with the old CSRF token (403), and then repeats the request.
        await expect.poll(async () => await tab.page.getByRole("alert").allTextContents()).toEqual([]);
        // 499: a call that the page has cancelled.
        expect(tab.takeComplaints().filter((text) => !/\b(?:40[13]|499)\b/.test(text))).toEqual([]);
      });
    });

    describe("without the code of its form", () => {
      test.concurrent.for(laterForms)(
        "$name: the form reports it, and loads after another try",
        async ({ address, label }) => {
          await using tab = await fixture.visitor.openTab();
          const tools = pageTools(() => tab.page);
          // By `page.route`, which disables the browser's cache.
          await tab.page.route("**/assets/schema-form-*", async (route) => await route.abort());
          await tab.page.goto(`/console${address(fixture)}`);
          await tools.button(label).first().click();
          await tools.dialog().getByText("could not be loaded").waitFor();
          await tab.page.unrouteAll({ behavior: "wait" });
          await tools.dialog().getByRole("button", { name: "Try again" }).click();
          await tools.dialog().locator("form").waitFor();
          // A document caches a failed import, and the tab is reused.
          await tab.page.goto("/console");
        },
      );
    });

    describe("for a viewer", () => {
      let reader: ConsoleVisitor;

      beforeAll(async () => {
        const given = { name: "reader", role: "viewer" };
        const { key } = await fixture.control.call<{ key: string }>("svc_create_admin_key", given);
        reader = await fixture.visitor.openStranger();
        await reader.page.goto("/console");
        await reader.signIn(key);
      });
      afterAll(async () => await reader?.leave());

      test("settings and a policy opened by their URLs name the missing right", async () => {
        await using tab = await reader.openTab();
        for (const [path, operation] of [
          ["settings", "svc_update_project"],
          ["guardrails", "svc_set_guardrails"],
        ]) {
          await tab.page.goto(`/console/projects/${fixture.shop}/${path}`);
          await tab.page.getByText(new RegExp(`^Your role, viewer, may not .*: it lacks ${operation}\\.$`)).waitFor();
          expect(await tab.page.locator("main form").count()).toBe(0);
        }
      });

      test.concurrent.for(asking)(
        "$name: is shown without an error, and offers no form",
        async ({ address }, { expect }) => {
          await using tab = await reader.openTab();
          await tab.go(address(fixture));
          await tab.settle();
          await tab.page.getByRole("heading", { level: 1 }).waitFor();
          expect(await tab.page.getByRole("alert").allTextContents()).toEqual([]);
          const { button: offered } = pageTools(() => tab.page);
          for (const [, , label = ""] of forms) {
            expect({ label, count: await offered(label).count() }).toEqual({ label, count: 0 });
          }
          expect(tab.takeComplaints()).toEqual([]);
        },
      );
    });

    test("a search whose code cannot be loaded, as after an update, keeps the page's input", async () => {
      await page().goto(`/console/projects/${fixture.shop}/settings`);
      await field("Name").fill("Half typed");
      await page().route("**/assets/search-dialog-*", async (route) => await route.fulfill({ status: 404, json: {} }));
      await page().getByRole("button", { name: "Search" }).click();
      await dialog().getByText("could not be loaded").waitFor();
      await page().keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
      expect(await field("Name").inputValue()).toBe("Half typed");
      fixture.visitor.takeComplaints();
    });

    test("a page whose code cannot be loaded reports it in its place, and loads after another try", async () => {
      await page().goto("/console/projects");
      await button("Create project").waitFor();
      await page().route("**/assets/audit-page-*", async (route) => await route.abort());
      await page().getByRole("link", { name: "Audit" }).click();
      await page().getByText("could not be loaded").waitFor();
      await page().unrouteAll({ behavior: "wait" });
      await button("Try again").click();
      await page().getByRole("heading", { name: "Audit" }).waitFor();
      fixture.visitor.takeComplaints();
    });
  });
}

/** Elements that make the page scroll sideways, outermost first, except those in tables, which scroll themselves. */
const tooWide = `document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
  [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .filter((element) => element.closest(".console-table-frame") === null)
    .map((element) => element.outerHTML.slice(0, 90))
    .slice(0, 8)`;

/** Replaces every text in a reply that people can choose by a hostile one. */
function withHostileTexts(value: unknown, key = ""): unknown {
  if (typeof value === "string") return chosen.has(key) ? hostile : value;
  if (Array.isArray(value)) return value.map((member: unknown) => withHostileTexts(member, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withHostileTexts(member, name)]));
}

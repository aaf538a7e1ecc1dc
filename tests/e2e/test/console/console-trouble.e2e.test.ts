import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ConsoleVisitor } from "../../src/console/console-visitor.ts";
import { FaultyProxy } from "../../src/console/faulty-proxy.ts";
import { findChromium, noChromium } from "../../src/console/find-chromium.ts";
import { interceptCalls, type InterceptedCall } from "../../src/console/intercepted-calls.ts";
import { pageTools } from "../../src/console/page-tools.ts";
import { quietWithin, Traffic } from "../../src/console/traffic.ts";
import { ControlPlaneClient } from "../../src/control-plane-client.ts";
import { type Product, startStandalone } from "../../src/product.ts";

const chromiumPath = findChromium();
/** Long enough to inspect the waiting page. */
const slowMs = 2_000;
/** Longer than a page without input keeps reading. */
const leftMs = 660_000;
/** Interval in which a page checks its session. */
const watchMs = 15_000;

/** A slow, unreachable or restarted gateway, and a session that ends, during work. */
describe.skipIf(chromiumPath === undefined)(chromiumPath === undefined ? noChromium : "trouble at the console", () => {
  let product: Product;
  let proxy: FaultyProxy;
  let control: ControlPlaneClient;
  let visitor: ConsoleVisitor;

  const page = () => visitor.page;
  const { button, field, dialog, open } = pageTools(page);

  beforeAll(async () => {
    product = await startStandalone({ env: { EGRESS_ALLOW: "127.0.0.0/8" } });
    proxy = await FaultyProxy.start(product.url);
    control = new ControlPlaneClient(product);
    await control.call("svc_create_provider", { name: "mock", kind: "mock" });
    visitor = await ConsoleVisitor.arrive(chromiumPath ?? "", proxy.url);
    await page().goto("/console");
    await visitor.signIn(product.adminKey);
  });
  afterAll(async () => {
    await visitor?.leave();
    proxy?.stop();
    await product?.stop();
  });
  afterEach(() => {
    proxy.delayMs = 0;
    proxy.isDown = false;
  });

  async function endSessions(): Promise<void> {
    const { console_sessions: sessions } = await control.call<{ console_sessions: readonly { readonly id: number }[] }>(
      "svc_list_console_sessions",
    );
    for (const { id } of sessions) await control.call("svc_end_console_session", { session_id: id });
  }

  test("a slow gateway leaves the page usable: placeholders, then the data, and one project for two clicks", async () => {
    await open("/projects");
    proxy.delayMs = slowMs;
    await page().getByRole("link", { name: "Audit" }).click();
    await page().getByRole("heading", { name: "Audit" }).waitFor();
    await page().getByLabel("Loading").first().waitFor();
    await page().getByRole("link", { name: "Projects", exact: true }).click();
    await button("Create project").click();
    await field("Name").fill("Made once");
    const submit = dialog().getByRole("button", { name: "Create project" });
    await submit.dblclick();
    await page().getByRole("heading", { name: "Made once" }).waitFor();
    const { projects } = await control.call<{ projects: readonly { readonly name: string }[] }>("svc_list_projects");
    expect(projects.filter(({ name }) => name === "Made once")).toHaveLength(1);
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a button that moves under the pointer is still pressed", async () => {
    let show = () => {};
    const mayShow = new Promise<void>((resolve) => (show = resolve));
    await page().route("**/control/mcp", async (route) => {
      if ((route.request().postData() ?? "").includes('"svc_list_providers"')) await mayShow;
      await route.continue();
    });
    await open("/providers");
    const add = button("Add credential");
    await add.hover();
    const before = await add.boundingBox();
    await page().mouse.down();
    show();
    await page().getByRole("cell", { name: "mock", exact: true }).first().waitFor();
    expect((await add.boundingBox())?.y).not.toBe(before?.y);
    await page().mouse.up();
    await dialog().locator("form").waitFor();
    await page().keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    // A pointer moved away before its release presses nothing.
    await add.hover();
    await page().mouse.down();
    await page().mouse.move(640, 400);
    await page().mouse.up();
    expect(await dialog().count()).toBe(0);
    await page().unrouteAll();
    expect(visitor.takeComplaints()).toEqual([]);
  });

  test("a form keeps its input while the gateway is unreachable, and can be sent again", async () => {
    await open("/providers");
    await button("Add provider").click();
    await field("Name").fill("kept");
    await dialog().getByLabel("Kind").selectOption("mock");
    proxy.isDown = true;
    await dialog().getByRole("button", { name: "Add provider" }).click();
    await dialog().getByText("The gateway is not responding.").waitFor();
    expect(await field("Name").inputValue()).toBe("kept");
    proxy.isDown = false;
    await dialog().getByRole("button", { name: "Add provider" }).click();
    await page().getByRole("cell", { name: "kept", exact: true }).waitFor();
    visitor.takeComplaints();
  });

  /** Lets the next call of an operation reach the gateway, and drops its answer. */
  async function loseAnswerOf(operation: string): Promise<void> {
    let isLost = false;
    await page().route("**/control/mcp", async (route) => {
      if (isLost || !(route.request().postData() ?? "").includes(`"${operation}"`)) return await route.fallback();
      isLost = true;
      expect((await route.fetch()).ok()).toBe(true);
      return await route.abort();
    });
  }

  test("a change whose answer is lost is made once when it is sent again, and shows its secret", async () => {
    await loseAnswerOf("svc_create_project");
    await open("/projects");
    await button("Create project").click();
    await field("Name").fill("Answered late");
    const submit = dialog().getByRole("button", { name: "Create project" });
    await submit.click();
    await dialog().getByText("The gateway is not responding.").waitFor();
    await submit.click();
    await page().getByRole("heading", { name: "Answered late" }).waitFor();
    const { projects } = await control.call<{
      projects: readonly { readonly name: string; readonly uuid: string }[];
    }>("svc_list_projects");
    const [project, ...more] = projects.filter(({ name }) => name === "Answered late");
    expect(more).toEqual([]);
    await page().unrouteAll();
    const args = { project: project?.uuid ?? "", name: "lost token", scopes: ["chat"] };
    await control.call("svc_create_token", args);
    await loseAnswerOf("svc_rotate_token");
    await open(`/projects/${args.project}/tokens`);
    await page()
      .getByRole("row", { name: "lost token" })
      .getByRole("button", { name: /^Rotate/ })
      .click();
    const rotate = dialog().getByRole("button", { name: /^Rotate/ });
    await rotate.click();
    await dialog().getByText("The gateway is not responding.").waitFor();
    await rotate.click();
    await page()
      .getByText(/svc_live_\w{36}/)
      .first()
      .waitFor();
    const { entries } = await control.call<{ entries: readonly { readonly event: string }[] }>("svc_query_audit_log", {
      project: args.project,
      event: "token.rotated",
    });
    expect(entries).toHaveLength(1);
    await page().unrouteAll();
    visitor.takeComplaints();
  });

  test("a form that is closed after a lost answer, and filled in again in another order, makes its change once", async () => {
    await loseAnswerOf("svc_create_project");
    await open("/projects");
    await button("Create project").click();
    const notice = dialog().getByText("An earlier try got no answer");
    await field("Name").fill("Closed and opened");
    await dialog().getByLabel("Rate limit per minute").fill("50");
    expect(await notice.count()).toBe(0);
    await dialog().getByRole("button", { name: "Create project" }).click();
    await dialog().getByText("sent again with the same values, it is saved once").waitFor();
    await page().keyboard.press("Escape");
    await button("Discard").click();
    await dialog().waitFor({ state: "detached" });
    // Navigates to another page and back, in the same document.
    await page().getByRole("link", { name: "Audit", exact: true }).click();
    await page().getByRole("link", { name: "Projects", exact: true }).click();
    await button("Create project").click();
    await notice.waitFor();
    await dialog().getByLabel("Rate limit per minute").fill("50");
    await field("Name").fill("Closed and opened");
    expect(await page().evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
      "Closed",
    );
    await dialog().getByRole("button", { name: "Create project" }).click();
    await page().getByRole("heading", { name: "Closed and opened" }).waitFor();
    const { projects } = await control.call<{ projects: readonly { readonly name: string }[] }>("svc_list_projects");
    expect(projects.filter(({ name }) => name === "Closed and opened")).toHaveLength(1);
    await open("/projects");
    await button("Create project").click();
    await dialog().locator("form").waitFor();
    expect(await notice.count()).toBe(0);
    await page().unrouteAll();
    visitor.takeComplaints();
  });

  test("a live list reports an unreachable gateway, keeps its rows, and continues by itself", async () => {
    await open("/audit");
    const rows = page().getByRole("table", { name: "Events" });
    await rows.getByRole("cell", { name: "provider.created" }).first().waitFor();
    proxy.isDown = true;
    await page().getByText("The gateway is not responding.").first().waitFor();
    expect(await rows.getByRole("cell", { name: "provider.created" }).count()).toBeGreaterThan(0);
    proxy.isDown = false;
    await page().getByText("The gateway is not responding.").first().waitFor({ state: "detached" });
    visitor.takeComplaints();
  });

  test("data that cannot be refreshed shows its age, while the gateway is unreachable or slow", async () => {
    const age = page().getByText(/^As of (?:.* )?\d\d:\d\d:\d\d, (?:just now|\d+ (?:second|minute)s? ago)\.$/);
    await open("/audit");
    await page().getByRole("table", { name: "Events" }).waitFor();
    expect(await age.count()).toBe(0);
    proxy.isDown = true;
    await age.waitFor();
    const read = await age.locator("time").getAttribute("datetime");
    expect(Date.parse(read ?? "")).toBeLessThan(Date.now());
    expect(await age.locator("time").getAttribute("title")).toContain("UTC");
    proxy.isDown = false;
    await age.waitFor({ state: "detached" });
    proxy.delayMs = 5_000;
    await age.waitFor();
    expect(await page().getByRole("alert").count()).toBe(0);
    proxy.delayMs = 0;
    await age.waitFor({ state: "detached" });
    visitor.takeComplaints();
  });

  test("a session that ends during a form loses no input", async () => {
    await open("/providers");
    await button("Add provider").click();
    await field("Name").fill("after the break");
    await dialog().getByLabel("Kind").selectOption("mock");
    await endSessions();
    await dialog().getByRole("button", { name: "Add provider" }).click();
    const again = page().getByRole("dialog", { name: "Your session has ended" });
    await again.getByRole("textbox", { name: "Admin key" }).fill(product.adminKey);
    await page().keyboard.press("Enter");
    await again.waitFor({ state: "detached" });
    expect(await field("Name").inputValue()).toBe("after the break");
    await dialog().getByRole("button", { name: "Add provider" }).click();
    await page().getByRole("cell", { name: "after the break", exact: true }).waitFor();
    visitor.takeComplaints();
  });

  test("keys and Back under the sign-in reach nothing beneath it, and the focus stays in it", async () => {
    await open("/audit");
    await page().getByRole("link", { name: "Providers", exact: true }).click();
    await button("Add provider").click();
    await field("Name").fill("beneath the sign-in");
    await endSessions();
    await page().evaluate("void dispatchEvent(new Event('visibilitychange'))");
    const again = page().getByRole("dialog", { name: "Your session has ended" });
    const key = again.getByRole("textbox", { name: "Admin key" });
    await key.waitFor();
    for (const press of ["Escape", "Escape", "Tab", "Enter", "Control+k", "Escape", "Shift+Tab"]) {
      await page().keyboard.press(press);
    }
    await page().goBack();
    await page().keyboard.press("Tab");
    await page().keyboard.press("Enter");
    expect(await page().evaluate("document.activeElement.closest('dialog')?.open")).toBe(true);
    expect(await page().getByRole("dialog", { name: "Discard the form?" }).count()).toBe(0);
    await key.fill(product.adminKey);
    await key.press("Enter");
    await again.waitFor({ state: "detached" });
    expect(await dialog().getByRole("textbox", { name: "Search for" }).count()).toBe(0);
    await button("Stay").click();
    expect(await field("Name").inputValue()).toBe("beneath the sign-in");
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await button("Discard").click();
    await dialog().waitFor({ state: "detached" });
    visitor.takeComplaints();
  });

  test("an answer from before the end of a session does not close the sign-in with a typed key", async () => {
    await open("/audit");
    await page().getByRole("heading", { level: 1 }).waitFor();
    const { promise: asked, resolve: holdAnswer } = Promise.withResolvers<InterceptedCall>();
    let isEnded = false;
    await using _ = await interceptCalls(page(), "*/control/*", async (call) => {
      if (call.verb === "GET" && !isEnded) holdAnswer(call);
      else if (isEnded && "jsonrpc" in call.body)
        await call.answer(401, { ok: false, error: "The session has ended." });
      else await call.pass();
    });
    await page().evaluate("void dispatchEvent(new Event('visibilitychange'))");
    const early = await asked;
    isEnded = true;
    await page().getByRole("link", { name: "Providers", exact: true }).click();
    const again = page().getByRole("dialog", { name: "Your session has ended" });
    const key = again.getByRole("textbox", { name: "Admin key" });
    await key.fill(product.adminKey);
    const answered = page().waitForResponse((reply) => reply.request().method() === "GET");
    await early.pass();
    await (await answered).finished();
    // Time in which the page would act on it.
    await page().waitForTimeout(300);
    isEnded = false;
    expect(await key.inputValue()).toBe(product.adminKey);
    await key.press("Enter");
    await again.waitFor({ state: "detached" });
    await page().getByRole("cell").first().waitFor();
    visitor.takeComplaints();
  });

  test("a sign-in that fails during a form loses no input", async () => {
    await open("/providers");
    await button("Add provider").click();
    await field("Name").fill("after two tries");
    await dialog().getByLabel("Kind").selectOption("mock");
    await endSessions();
    await dialog().getByRole("button", { name: "Add provider" }).click();
    const again = page().getByRole("dialog", { name: "Your session has ended" });
    await again.getByRole("textbox", { name: "Admin key" }).fill(product.adminKey);
    proxy.isDown = true;
    await page().keyboard.press("Enter");
    await again.getByText("The gateway is not responding.").waitFor();
    proxy.isDown = false;
    await again.getByRole("button", { name: "Sign in" }).click();
    await again.waitFor({ state: "detached" });
    expect(await field("Name").inputValue()).toBe("after two tries");
    await dialog().getByRole("button", { name: "Add provider" }).click();
    await page().getByRole("cell", { name: "after two tries", exact: true }).waitFor();
    visitor.takeComplaints();
  });

  test("a browser in offline mode reports that the gateway does not respond, and works again at once", async () => {
    await open("/providers");
    await button("Add provider").click();
    await field("Name").fill("off and on");
    await dialog().getByLabel("Kind").selectOption("mock");
    await page().context().setOffline(true);
    await dialog().getByRole("button", { name: "Add provider" }).click();
    await dialog().getByText("The gateway is not responding.").waitFor();
    await page().context().setOffline(false);
    await dialog().getByRole("button", { name: "Add provider" }).click();
    await page().getByRole("cell", { name: "off and on", exact: true }).waitFor();
    visitor.takeComplaints();
  });

  test("an error in the place of a page keeps the focus while the gateway is asked again", async () => {
    let refusals = 0;
    await page().route("**/control/mcp", async (route) => {
      refusals += 1;
      await route.abort();
    });
    await page().goto("/console/providers");
    const retry = page().getByRole("alert").getByRole("button", { name: "Try again" });
    await retry.focus();
    const before = refusals;
    await page().evaluate("document.activeElement.dataset.mark = 'the same'");
    await expect.poll(() => refusals - before, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    expect(await page().evaluate("document.activeElement.dataset.mark")).toBe("the same");
    await page().unroute("**/control/mcp");
    await page().getByRole("heading", { level: 1 }).waitFor();
    visitor.takeComplaints();
  });

  test("a page that waits for its sign-out sends no other requests, and comes back if it fails", async () => {
    const tab = await page().context().newPage();
    await tab.clock.install();
    const { promise: mayFail, resolve: fail } = Promise.withResolvers<void>();
    await tab.route("**/control/session", async (route) => {
      if (route.request().method() !== "DELETE") return await route.continue();
      await mayFail;
      await route.abort();
    });
    const traffic = new Traffic(tab);
    await tab.goto("/console/system");
    await tab.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
    await tab.getByRole("button", { name: /^Signed in as/ }).click();
    const before = traffic.asked.length;
    await tab.getByRole("menuitem", { name: "Sign out" }).click();
    await expect.poll(() => traffic.asked.slice(before)).toEqual(["/control/session"]);
    await tab.clock.runFor(watchMs * 4);
    expect(traffic.asked.slice(before)).toEqual(["/control/session"]);
    fail();
    await tab.getByText("The gateway is not responding.").waitFor();
    await tab.getByRole("heading", { level: 1 }).waitFor();
    await tab.close();
  });

  test("a page without input for ten minutes sends no requests until the next input", async () => {
    const tab = await page().context().newPage();
    await tab.clock.install();
    const traffic = new Traffic(tab);
    await tab.goto("/console/system");
    await tab.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
    await tab.clock.fastForward(leftMs);
    const notice = tab.getByText("Updates paused");
    await notice.waitFor();
    await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
    const before = traffic.asked.length;
    await tab.clock.runFor(leftMs);
    await expect.poll(() => traffic.isQuiet, quietWithin).toBe(true);
    expect(traffic.asked.slice(before)).toEqual([]);
    await tab.mouse.move(200, 200);
    await notice.waitFor({ state: "detached" });
    await expect.poll(() => traffic.asked.slice(before)).toContain("/control/session");
    await tab.close();
  });
});

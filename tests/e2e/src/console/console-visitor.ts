import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { chromium, type Page } from "playwright-core";
import { rememberPage } from "./open-pages.ts";
import { Traffic } from "./traffic.ts";

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Axe describes every element that keeps a rule too, unless it is asked not to. */
const violationsOnly = { resultTypes: ["violations"], selectors: false, preload: false } as const;

/** The rules that a page must keep, and those of them that another theme can break. */
const axeOptions = {
  all: {
    ...violationsOnly,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    // Axe leaves it out unless it is named (WCAG 2.5.8).
    rules: { "target-size": { enabled: true } },
  },
  colours: { ...violationsOnly, runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } },
} as const;
const screen = { viewport: { width: 1_360, height: 860 } } as const;
/**
 * Leads a tab to where it waits for its next test, a page that asks the gateway for nothing. It goes there without a new document:
 * Chromium keeps the process with its compiled scripts for the next one. A page that is opened from about:blank takes a new process,
 * and three times the CPU time.
 */
const goIdle = `sessionStorage.clear(); history.pushState({}, "", "/console/nowhere"); dispatchEvent(new PopStateEvent("popstate"))`;
/** Several tabs are open at a time, and where a page waits in grey lines that move, Chromium draws sixty pictures of it a second. */
const calm = { colorScheme: "light", reducedMotion: "reduce" } as const;
/** Ten times what the slowest action takes on an idle machine. */
const actionTimeoutMs = 30_000;
const quietCheckMs = 50;

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** A person at the console, in a real browser. Whatever the browser complains about is kept for the test to judge. */
export class ConsoleVisitor implements AsyncDisposable {
  readonly page: Page;
  readonly #end: () => Promise<void>;
  readonly #idleTabs: ConsoleVisitor[] = [];
  readonly #idleWindows: ConsoleVisitor[] = [];
  readonly #complaints: string[] = [];
  readonly #requested: string[] = [];
  readonly #traffic: Traffic;

  private constructor(page: Page, end: () => Promise<void>) {
    this.page = page;
    rememberPage(page);
    this.#traffic = new Traffic(page);
    this.#end = end;
    page.setDefaultTimeout(actionTimeoutMs);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.#complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.#complaints.push(error.message));
    page.on("request", (request) => this.#requested.push(request.url()));
  }

  static async arrive(executablePath: string, baseURL: string, colorScheme: "light" | "dark"): Promise<ConsoleVisitor> {
    const browser = await chromium.launch({ executablePath, args: flags });
    const context = await browser.newContext({ ...screen, baseURL, colorScheme });
    return new ConsoleVisitor(await context.newPage(), async () => await browser.close());
  }

  /** Opens another tab of this person, for a test that runs beside others. */
  async openTab(): Promise<ConsoleVisitor> {
    const idle = this.#idleTabs.pop();
    if (idle !== undefined) return idle.#begin();
    return await this.#keptIn(this.#idleTabs, await this.page.context().newPage());
  }

  /** A visitor who is not signed in, in the same browser: another one takes seconds to start. @param origin this one's where absent */
  async openStranger(origin = new URL(this.page.url()).origin): Promise<ConsoleVisitor> {
    const browser = this.page.context().browser();
    if (browser === null) throw new Error("A persistent context has one window.");
    const context = await browser.newContext({ ...screen, baseURL: origin, colorScheme: "light" });
    return new ConsoleVisitor(await context.newPage(), async () => await context.close());
  }

  /** A tab with copies of the cookies and of the storage, so that a sign-in there is none here. */
  async openWindow(): Promise<ConsoleVisitor> {
    const idle = this.#idleWindows.pop();
    if (idle !== undefined) return idle.#begin();
    const here = this.page.context();
    const browser = here.browser();
    if (browser === null) throw new Error("A persistent context has one window.");
    const baseURL = new URL(this.page.url()).origin;
    const context = await browser.newContext({ ...screen, baseURL, storageState: await here.storageState() });
    return await this.#keptIn(this.#idleWindows, await context.newPage());
  }

  /** Is used again once it was left: each test begins with a new document, but with neither a new process nor scripts to compile. */
  async #keptIn(idle: ConsoleVisitor[], page: Page): Promise<ConsoleVisitor> {
    await page.emulateMedia(calm);
    const kept: ConsoleVisitor = new ConsoleVisitor(page, async () => {
      try {
        await kept.#clear();
        idle.push(kept);
      } catch {
        // It has crashed, or does not leave its page: the next test gets another one.
        await page.close();
      }
    });
    return kept;
  }

  async #clear(): Promise<void> {
    const { page } = this;
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate(goIdle);
    await page.setViewportSize(screen.viewport);
    await page.emulateMedia(calm);
  }

  /** For the next test: what was noted of the one before, and while the tab waited, is none of its business. */
  #begin(): this {
    this.#complaints.length = 0;
    this.#requested.length = 0;
    return this;
  }

  /**
   * Goes to an address behind `/console` as a link does where a page is open, else by loading it: the scripts of a page that is there
   * run on, for a tenth of the CPU time of a load.
   */
  async go(address: string): Promise<void> {
    this.#traffic.begin();
    const path = JSON.stringify(`/console${address}`);
    const hasGone = await this.page.evaluate<boolean>(
      `document.querySelector("nav") !== null && (history.pushState({}, "", ${path}), dispatchEvent(new PopStateEvent("popstate")), true)`,
    );
    if (!hasGone) await this.page.goto(`/console${address}`);
  }

  /** Waits until all that the page has asked for is there. The browser's own "networkidle" comes once for each document. */
  async settle(): Promise<void> {
    const until = performance.now() + actionTimeoutMs;
    while (!this.#traffic.isQuiet) {
      if (performance.now() > until) throw new Error(`${this.page.url()} goes on asking.`);
      await delay(quietCheckMs);
    }
  }

  /** Errors and warnings of the console since the last look: scripts, policy violations, failed requests. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }

  /** The hosts that were asked for anything. */
  hostsAsked(): string[] {
    return [...new Set(this.#requested.filter((url) => url.startsWith("http")).map((url) => new URL(url).host))];
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByRole("textbox", { name: "Admin key" }).fill(key);
    await this.page.keyboard.press("Enter");
    await this.page.getByRole("navigation", { name: "Main" }).waitFor();
  }

  /** Findings of axe against WCAG 2.2 AA and its best practices on the page as it is: `rule: element`. */
  async accessibilityViolations(rules: keyof typeof axeOptions = "all"): Promise<string[]> {
    const isThere = await this.page.evaluate<boolean>("typeof axe === 'object'");
    if (!isThere) await this.page.evaluate(await readFile(axePath, "utf8"));
    const result = await this.page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(axeOptions[rules])})`);
    return result.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  }

  async leave(): Promise<void> {
    await this.#end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }
}

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
/** Pages that live for seconds do not repay compilers: those took a tenth of the CPU time of a load. */
const withoutCompilers = "--js-flags=--no-maglev --no-opt";

/** Otherwise axe also describes every passing element. */
const violationsOnly = { resultTypes: ["violations"], selectors: false, preload: false } as const;

/** All rules, and those that a theme can affect. */
const axeOptions = {
  all: {
    ...violationsOnly,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    // Disabled by default in axe (WCAG 2.5.8).
    rules: { "target-size": { enabled: true } },
  },
  colours: { ...violationsOnly, runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } },
} as const;
const screen = { viewport: { width: 1_360, height: 860 } } as const;
/**
 * Moves an idle tab to a page without requests. Without a new document: Chromium keeps the process with its compiled scripts for
 * the next one, while a page opened from about:blank takes a new process and three times the CPU time.
 */
const goIdle = `sessionStorage.clear(); history.pushState({}, "", "/console/nowhere"); dispatchEvent(new PopStateEvent("popstate"))`;
/** Without animations: in several tabs, Chromium would render animated placeholders sixty times a second. */
const calm = { colorScheme: "light", reducedMotion: "reduce" } as const;
/** Ten times the slowest action on an idle machine. */
const actionTimeoutMs = 30_000;
const quietCheckMs = 50;

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** A person at the console, in a real browser. Records the browser's complaints for the test. */
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

  /** @param isMeasured whether scripts run as fast as for people */
  static async arrive(
    executablePath: string,
    baseURL: string,
    { isMeasured = false }: { readonly isMeasured?: boolean | undefined } = {},
  ): Promise<ConsoleVisitor> {
    const args = isMeasured ? flags : [...flags, withoutCompilers];
    const browser = await chromium.launch({ executablePath, args });
    const context = await browser.newContext({ ...screen, baseURL, colorScheme: "light" });
    return new ConsoleVisitor(await context.newPage(), async () => await browser.close());
  }

  /** Opens another tab of this person, for concurrent tests. */
  async openTab(): Promise<ConsoleVisitor> {
    const idle = this.#idleTabs.pop();
    if (idle !== undefined) return idle.#begin();
    return await this.#keptIn(this.#idleTabs, await this.page.context().newPage());
  }

  /**
   * A signed-out visitor in the same browser, since starting another one takes seconds. @param origin defaults to this visitor's
   */
  async openStranger(origin = new URL(this.page.url()).origin): Promise<ConsoleVisitor> {
    const browser = this.page.context().browser();
    if (browser === null) throw new Error("A persistent context has one window.");
    const context = await browser.newContext({ ...screen, baseURL: origin, colorScheme: "light" });
    return new ConsoleVisitor(await context.newPage(), async () => await context.close());
  }

  /** A tab with copies of cookies and storage, so that a sign-in there does not affect this one. */
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

  /** Reuses a tab: each test starts with a new document, but without a new process or scripts to compile. */
  async #keptIn(idle: ConsoleVisitor[], page: Page): Promise<ConsoleVisitor> {
    await page.emulateMedia(calm);
    const kept: ConsoleVisitor = new ConsoleVisitor(page, async () => {
      try {
        await kept.#clear();
        idle.push(kept);
      } catch {
        // Crashed, or does not leave its page: the next test gets another tab.
        await page.close();
      }
    });
    return kept;
  }

  async #clear(): Promise<void> {
    const { page } = this;
    await page.unrouteAll({ behavior: "wait" });
    await page.evaluate(goIdle);
    // A notification under the pointer would stay until the pointer leaves it.
    await page.mouse.move(0, 0);
    await page.setViewportSize(screen.viewport);
    await page.emulateMedia(calm);
  }

  /** Clears records of the previous test and of the idle time. */
  #begin(): this {
    this.#complaints.length = 0;
    this.#requested.length = 0;
    return this;
  }

  /**
   * Navigates below `/console` like a link if a page is open, else by loading: running scripts save nine tenths of the CPU time.
   */
  async go(address: string): Promise<void> {
    this.#traffic.begin();
    const path = JSON.stringify(`/console${address}`);
    const hasGone = await this.page.evaluate<boolean>(
      `document.querySelector("nav") !== null && (history.pushState({}, "", ${path}), dispatchEvent(new PopStateEvent("popstate")), true)`,
    );
    if (!hasGone) await this.page.goto(`/console${address}`);
  }

  /** Waits until all requests of the page are answered. The browser's own "networkidle" occurs once per document. */
  async settle(): Promise<void> {
    const until = performance.now() + actionTimeoutMs;
    while (!this.#traffic.isQuiet) {
      if (performance.now() > until) throw new Error(`${this.page.url()} goes on asking.`);
      await delay(quietCheckMs);
    }
  }

  /** Errors and warnings of the console since the last call: scripts, policy violations, failed requests. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }

  /** Hosts that received a request. */
  hostsAsked(): string[] {
    return [...new Set(this.#requested.filter((url) => url.startsWith("http")).map((url) => new URL(url).host))];
  }

  async signIn(key: string): Promise<void> {
    await this.page.getByRole("textbox", { name: "Admin key" }).fill(key);
    await this.page.keyboard.press("Enter");
    await this.page.getByRole("navigation", { name: "Main" }).waitFor();
  }

  /** Violations of WCAG 2.2 AA and best practices found by axe: `rule: element`. */
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

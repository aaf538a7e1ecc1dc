import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { chromium, type Page } from "playwright-core";

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

/** The rules that a page must keep, and those of them that another theme can break. */
const axeOptions = {
  all: {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    // Axe leaves it out unless it is named (WCAG 2.5.8).
    rules: { "target-size": { enabled: true } },
  },
  colours: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } },
} as const;
const screen = { viewport: { width: 1_360, height: 860 } } as const;
/** Ten times what the slowest action takes on an idle machine. */
const actionTimeoutMs = 30_000;

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** A person at the console, in a real browser. Whatever the browser complains about is kept for the test to judge. */
export class ConsoleVisitor implements AsyncDisposable {
  readonly page: Page;
  readonly #end: () => Promise<void>;
  readonly #complaints: string[] = [];
  readonly #requested: string[] = [];

  private constructor(page: Page, end: () => Promise<void>) {
    this.page = page;
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

  /** The same person at another tab, for a test that runs beside others. */
  async openTab(): Promise<ConsoleVisitor> {
    const tab = await this.page.context().newPage();
    return new ConsoleVisitor(tab, async () => await tab.close());
  }

  /** A tab with copies of the cookies and of the storage, so that a sign-in there is none here. */
  async openWindow(): Promise<ConsoleVisitor> {
    const here = this.page.context();
    const browser = here.browser();
    if (browser === null) throw new Error("A persistent context has one window.");
    const baseURL = new URL(this.page.url()).origin;
    const context = await browser.newContext({ ...screen, baseURL, storageState: await here.storageState() });
    return new ConsoleVisitor(await context.newPage(), async () => await context.close());
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

  /** Findings of axe against WCAG 2.2 AA on the page as it is: `rule: element`. */
  async accessibilityViolations(rules: keyof typeof axeOptions = "all"): Promise<string[]> {
    await this.page.evaluate(await readFile(axePath, "utf8"));
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

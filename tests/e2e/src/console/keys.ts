import type { Page } from "playwright-core";
import { focusedStop } from "./focus-walk.ts";

/** More stops than any page has; a control not among them is unreachable. */
const stopsMax = 120;

/** A keyboard user who sees the focus. */
export class Keys {
  readonly #page: () => Page;

  constructor(page: () => Page) {
    this.#page = page;
  }

  /**
   * Presses Tab until a control of this name has the focus. @param row start of the table row around it
   * @throws Error where none gets the focus, or one does not show it
   */
  async to(name: string, row = ""): Promise<void> {
    const page = this.#page();
    for (let stop = 0; stop < stopsMax; stop += 1) {
      await page.keyboard.press("Tab");
      const isInRow = row === "" || (await page.evaluate<string>(textOfRow)).startsWith(row);
      if (isInRow && (await this.focused()) === name) return await this.#expectSeen(name);
    }
    throw new Error(`${stopsMax} stops of Tab did not lead to ${name}.`);
  }

  /** Focuses a button or a link, and presses it. */
  async press(name: string, row?: string): Promise<void> {
    await this.to(name, row);
    await this.#page().keyboard.press("Enter");
  }

  /** Focuses a field, and types into it. */
  async type(label: string, text: string): Promise<void> {
    await this.to(label);
    await this.#page().keyboard.press("Control+a");
    await this.#page().keyboard.type(text);
  }

  /** Name of the focused element; empty: none. */
  async focused(): Promise<string> {
    return await this.#page().evaluate<string>(nameOfFocused);
  }

  async #expectSeen(name: string): Promise<void> {
    const stop = await focusedStop(this.#page());
    if (stop === "left" || !stop.isMarked || !stop.isInView) throw new Error(`${name} does not show its focus.`);
  }
}

const textOfRow = `document.activeElement.closest("tr")?.textContent ?? ""`;

/** By its label, which may have an asterisk. */
const nameOfFocused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return "";
  const name = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  return name.replace(/ \\*$/, "").trim();
})()`;

import type { Page } from "playwright-core";
import { focusedStop } from "./focus-walk.ts";

/** More than any page has: what is not among so many stops is out of reach. */
const stopsMax = 120;

/** A person at the keyboard alone, who sees where the focus is. */
export class Keys {
  readonly #page: () => Page;

  constructor(page: () => Page) {
    this.#page = page;
  }

  /**
   * Presses Tab until a control of this name has the focus. @param row the beginning of the row of a table that it is in
   * @throws Error where none gets the focus, or one gets it that does not show it
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

  /** Goes to a button or a link, and presses it. */
  async press(name: string, row?: string): Promise<void> {
    await this.to(name, row);
    await this.#page().keyboard.press("Enter");
  }

  /** Goes to a field, and types into it. */
  async type(label: string, text: string): Promise<void> {
    await this.to(label);
    await this.#page().keyboard.press("Control+a");
    await this.#page().keyboard.type(text);
  }

  /** The name of what has the focus; empty where nothing has. */
  async focused(): Promise<string> {
    return await this.#page().evaluate<string>(nameOfFocused);
  }

  async #expectSeen(name: string): Promise<void> {
    const stop = await focusedStop(this.#page());
    if (stop === "left" || !stop.isMarked || !stop.isInView) throw new Error(`${name} does not show its focus.`);
  }
}

const textOfRow = `document.activeElement.closest("tr")?.textContent ?? ""`;

/** By its label, behind which a star may stand. */
const nameOfFocused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return "";
  const name = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
  return name.replace(/ \\*$/, "").trim();
})()`;

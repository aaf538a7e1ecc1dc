import type { Page } from "playwright-core";

/** Shortcuts to elements of a console page. @param page read at each use, since a test opens its visitor later */
export function pageTools(page: () => Page) {
  return {
    /** By the whole name, or a regular expression. */
    button: (name: string | RegExp) => page().getByRole("button", { name, exact: typeof name === "string" }),
    field: (name: string) => page().getByRole("textbox", { name, exact: true }),
    /** Selects an option by its label, or by another text that finds it alone. */
    async choose(name: string, text: string): Promise<void> {
      const select = page().getByRole("combobox", { name, exact: true });
      await select.fill(text);
      await page().getByRole("listbox", { name, exact: true }).getByRole("option").first().click();
    },
    dialog: () => page().getByRole("dialog"),
    /** Opens a page by its path below `/console`, and waits for its heading. */
    async open(path: string): Promise<void> {
      await page().goto(`/console${path}`);
      await page().getByRole("heading", { level: 1 }).waitFor();
    },
  };
}

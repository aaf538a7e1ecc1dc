import type { Page } from "playwright-core";

/** Short ways to what a person sees on a page of the console. @param page read at each use: a test opens its visitor later */
export function pageTools(page: () => Page) {
  return {
    /** By its whole name, or by a part of it that matches. */
    button: (name: string | RegExp) => page().getByRole("button", { name, exact: typeof name === "string" }),
    field: (name: string) => page().getByRole("textbox", { name, exact: true }),
    /** Chooses one of many by its label, or by another text that finds it alone. */
    async choose(name: string, text: string): Promise<void> {
      const select = page().getByRole("combobox", { name, exact: true });
      await select.fill(text);
      await page().getByRole("listbox", { name, exact: true }).getByRole("option").first().click();
    },
    dialog: () => page().getByRole("dialog"),
    /** Opens a page, by its path behind `/console`, and waits for its heading. */
    async open(path: string): Promise<void> {
      await page().goto(`/console${path}`);
      await page().getByRole("heading", { level: 1 }).waitFor();
    },
  };
}

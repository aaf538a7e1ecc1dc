import type { Page } from "playwright-core";

/** Longest description of a page, characters. */
const shownMax = 8_000;
const snapshotTimeoutMs = 5_000;

const openPages = new Set<Page>();

/** Registers an open page for descriptions. */
export function rememberPage(page: Page): void {
  openPages.add(page);
  page.on("close", () => void openPages.delete(page));
}

/** URLs and accessibility trees of the open pages; of the dialog, where one is open. */
export async function describeOpenPages(): Promise<string> {
  const described = await Promise.all([...openPages].map(describe));
  return described.join("\n\n");
}

async function describe(page: Page): Promise<string> {
  const dialog = page.getByRole("dialog").last();
  const place = (await dialog.count()) > 0 ? dialog : page.locator("body");
  const shown = await place.ariaSnapshot({ timeout: snapshotTimeoutMs }).catch((err: unknown) => String(err));
  return `${page.url()}\n${shown.slice(0, shownMax)}`;
}

import type { Page } from "playwright-core";

/** Longest description of a page, characters. */
const shownMax = 8_000;
const snapshotTimeoutMs = 5_000;

const openPages = new Set<Page>();

/** Keeps a page to be described, while it is open. */
export function rememberPage(page: Page): void {
  openPages.add(page);
  page.on("close", () => void openPages.delete(page));
}

/** Addresses of the pages that are open, and the accessibility tree of each: of its dialog, where one is open. */
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

const content = "#content";

/**
 * Gives the focus to the heading of the page that comes, so that the keyboard begins there. Until it has come, the page's content
 * has the focus; a person who moves it meanwhile keeps it.
 */
export function focusHeading(): void {
  const main = document.querySelector<HTMLElement>(content);
  if (main === null) return;
  main.focus({ preventScroll: true });
  const observer = new MutationObserver(look);
  observer.observe(main, { subtree: true, childList: true });
  look();

  function look(): void {
    const heading = main?.querySelector<HTMLElement>("h1") ?? null;
    const isMoved = document.activeElement !== main;
    if (heading === null && !isMoved) return;
    observer.disconnect();
    if (heading === null || isMoved) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

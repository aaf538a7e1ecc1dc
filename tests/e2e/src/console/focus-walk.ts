import type { Page } from "playwright-core";

/** One stop of the Tab key. */
export interface FocusStop {
  /** Start of the element's HTML. */
  readonly element: string;
  /** Whether it or its surroundings look different with the focus (WCAG 2.4.7). */
  readonly isMarked: boolean;
  /** Whether a part of it is in view, and not under the header (WCAG 2.4.11). */
  readonly isInView: boolean;
  readonly isInDialog: boolean;
}

/** Animation frames within which the page must scroll to the focus. */
const scrollFramesMax = 5;
/** More stops than any page has: a longer walk is a keyboard trap (WCAG 2.1.2). */
const stopsMax = 400;

/** Presses Tab until the focus leaves the page. @throws Error where it never does, or cycles */
export async function walkFocus(page: Page): Promise<readonly FocusStop[]> {
  const stops: FocusStop[] = [];
  while (stops.length <= stopsMax) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate<FocusStop | "left" | "again">(look);
    if (stop === "again") throw new Error("The focus came back to an element without leaving the page.");
    if (stop === "left") return stops;
    stops.push(stop);
  }
  throw new Error(`The focus had not left the page after ${stopsMax} stops.`);
}

/** The stop at which the focus is. */
export async function focusedStop(page: Page): Promise<FocusStop | "left"> {
  await page.evaluate("globalThis.walked = new Set()");
  return await page.evaluate<FocusStop | "left">(look);
}

/** Removes the focus for a moment, to compare the looks; Chromium continues from the same element. */
const look = `(async () => {
  const element = document.activeElement;
  if (element === null || element === document.body) {
    globalThis.walked = new Set();
    return "left";
  }
  globalThis.walked ??= new Set();
  if (globalThis.walked.has(element)) return "again";
  globalThis.walked.add(element);
  // A field's border may belong to its wrapper, and a switch is drawn beside its input.
  const frames = [element.parentElement, element.parentElement?.parentElement, element.parentElement?.parentElement?.parentElement];
  const around = [element, ...frames, ...(element.parentElement?.children ?? [])].filter((each) => each);
  const looks = () => JSON.stringify(around.map((each) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, fill, left } = getComputedStyle(each);
    return [outlineStyle === "none" ? "" : outlineWidth + outlineColor, boxShadow, borderColor, backgroundColor, fill, left];
  }));
  const focused = looks();
  const header = document.querySelector("header");
  const isInView = () => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isOnTop = element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    const edge = header === null || isOnTop ? 0 : header.getBoundingClientRect().bottom;
    return bottom > edge && top < innerHeight && right > 0 && left < innerWidth;
  };
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  // The page scrolls with an animation frame, which takes longer beside other tabs.
  for (let frames = 0; frames < ${scrollFramesMax} && !isInView(); frames += 1) await frame();
  const isSeen = isInView();
  element.blur();
  const isMarked = looks() !== focused;
  element.focus({ preventScroll: true });
  return {
    element: element.outerHTML.slice(0, 160),
    isMarked,
    isInView: isSeen,
    isInDialog: element.closest('[role="dialog"]') !== null,
  };
})()`;

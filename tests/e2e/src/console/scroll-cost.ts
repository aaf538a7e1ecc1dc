import type { Page } from "playwright-core";
import { measureCpu } from "./cpu-cost.ts";

/** The cost of scrolling a list, frame by frame. */
export interface ScrollCost {
  readonly frames: number;
  /** CPU time of the page's main thread by frame: scripts, styles and layout. A machine that does other work does not lengthen it. */
  readonly cpuMsPerFrame: number;
  /** Its equivalent on the reference machine, by the time that a fixed workload takes here; promised figures are compared with it. */
  readonly referenceMsPerFrame: number;
  /** The most rows that one frame has put into the page. */
  readonly rowsPerFrameMax: number;
  /** Wall time between frames; true figures on an idle machine alone. */
  readonly medianMs: number;
  readonly lateFrames: number;
}

interface Scrolled {
  readonly times: readonly number[];
  readonly rowsPerFrameMax: number;
}

/** Two frames' time at 60 a second, with some tolerance of the clock. */
const lateMs = 25;

/** Scrolls a table's frame by some rows at each frame of the screen. @param frame an expression for the scrolling element */
export async function measureScroll(page: Page, frame: string, frames = 120): Promise<ScrollCost> {
  const { cpuMs, referenceMs, result } = await measureCpu(
    page,
    async () => await page.evaluate<Scrolled>(scroll(frame, frames)),
  );
  const { times, rowsPerFrameMax } = result;
  return {
    frames: times.length,
    cpuMsPerFrame: cpuMs / times.length,
    referenceMsPerFrame: referenceMs / times.length,
    rowsPerFrameMax,
    medianMs: times.toSorted((one, other) => one - other)[times.length >> 1] ?? Number.NaN,
    lateFrames: times.filter((ms) => ms > lateMs).length,
  };
}

const scroll = (frame: string, frames: number) => `new Promise((resolve) => {
  const frame = ${frame};
  const times = [];
  let rows = 0;
  let rowsPerFrameMax = 0;
  let last = performance.now();
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) rows += [...addedNodes].filter((node) => node.nodeName === "TR").length;
  });
  observer.observe(frame, { childList: true, subtree: true });
  frame.scrollTo(0, 0);
  const step = (now) => {
    times.push(now - last);
    last = now;
    // The first frames draw the place that the list has jumped to.
    if (times.length > 3) rowsPerFrameMax = Math.max(rowsPerFrameMax, rows);
    rows = 0;
    if (times.length > ${frames}) {
      observer.disconnect();
      resolve({ times: times.slice(1), rowsPerFrameMax });
      return;
    }
    frame.scrollBy(0, 120);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

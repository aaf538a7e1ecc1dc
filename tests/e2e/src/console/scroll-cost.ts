import type { Page } from "playwright-core";
import { measureCpu } from "./cpu-cost.ts";

/** The cost of scrolling a list, frame by frame. */
export interface ScrollCost {
  readonly frames: number;
  /** CPU time of the page's main thread per frame: scripts, styles and layout; independent of other programs. */
  readonly cpuMsPerFrame: number;
  /** Equivalent on the reference machine, by the time of a fixed workload here; compared with the promised figures. */
  readonly referenceMsPerFrame: number;
  /** Most rows that one frame has added to the page. */
  readonly rowsPerFrameMax: number;
  /** Wall time between frames; meaningful only on an idle machine. */
  readonly medianMs: number;
  readonly lateFrames: number;
}

interface Scrolled {
  readonly times: readonly number[];
  readonly rowsPerFrameMax: number;
}

/** Time of more than one frame at 60 a second, with a tolerance of the clock. */
const lateMs = 25;

/** Scrolls a table by some rows in each animation frame. @param frame expression for the scrolling element */
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
    // The first frames render the position that the list has jumped to.
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

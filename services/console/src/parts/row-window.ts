/** Range of the rendered rows. */
export interface RowWindow {
  readonly first: number;
  /** Exclusive end. */
  readonly end: number;
}

interface RowPlace {
  /** Scroll position of the list, px. */
  readonly top: number;
  /** Height of the viewport, px. */
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows rendered beyond each edge, so that scrolling by wheel shows no gap. */
const overscan = 20;
/** Step of the window in rows; most scroll events then need no render. */
const step = 8;

/** Rows in view, and some on both sides. */
export function windowOf({ top, height, rowHeight, count }: RowPlace): RowWindow {
  const firstInView = Math.floor(top / rowHeight / step) * step;
  const rowsInView = Math.ceil(height / rowHeight) + step;
  const end = Math.min(count, firstInView + rowsInView + overscan);
  return { first: Math.max(0, Math.min(firstInView - overscan, end)), end };
}

/** Which rows of a list are drawn. */
export interface RowWindow {
  readonly first: number;
  /** The one after the last. */
  readonly end: number;
}

interface RowPlace {
  /** Scroll position of the list, px. */
  readonly top: number;
  /** Height of what is in view, px. */
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows drawn beyond each edge, so that a turn of the wheel shows no gap. */
const overscan = 20;
/** The window moves in steps of so many rows: most events of a scroll then draw nothing. */
const step = 8;

/** The rows in view and some on both sides. */
export function windowOf({ top, height, rowHeight, count }: RowPlace): RowWindow {
  const firstInView = Math.floor(top / rowHeight / step) * step;
  const rowsInView = Math.ceil(height / rowHeight) + step;
  const end = Math.min(count, firstInView + rowsInView + overscan);
  return { first: Math.max(0, Math.min(firstInView - overscan, end)), end };
}

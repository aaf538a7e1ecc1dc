/** A calendar month in UTC, `YYYY-MM`. */
export type Month = string;

/** The form of a {@link Month}. */
export const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The month that holds an instant in epoch milliseconds. */
export function monthOf(atMs: number): Month {
  return new Date(atMs).toISOString().slice(0, 7);
}

/** The first instant of the month after, epoch milliseconds. */
export function monthEnd(month: Month): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 1);
}

/** Month `count` calendar months earlier, across years; `count` is a whole number from 0. */
export function monthsBefore(month: Month, count: number): Month {
  return monthOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1 - count, 1));
}

/** Month of an instant, cached because every call needs it. */
export class Calendar {
  #month: Month = "";
  #startMs = 0;
  #endMs = 0;

  monthAt(atMs: number): Month {
    if (atMs < this.#startMs || atMs >= this.#endMs) {
      this.#month = monthOf(atMs);
      this.#startMs = Date.parse(`${this.#month}-01T00:00:00Z`);
      this.#endMs = monthEnd(this.#month);
    }
    return this.#month;
  }
}

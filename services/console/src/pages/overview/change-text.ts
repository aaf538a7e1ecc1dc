import { toChange } from "../../api/metrics.ts";

/** A number's change from the previous period; undefined values have nothing that they could be of, such as no requests. */
export function changeText(
  now: number | undefined,
  before: number | undefined,
  format: (value: number) => string,
): string {
  if (before === undefined) return "no earlier data";
  const change = now === undefined ? undefined : toChange(now, before);
  if (change !== undefined) return `${change.text} from ${format(before)}`;
  return now === before ? "unchanged" : `${format(before)} before`;
}

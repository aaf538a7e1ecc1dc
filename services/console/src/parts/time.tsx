import { formatAbsolute, formatRelative } from "./format.ts";
import { useNow } from "./use-now.ts";

/** A relative time, with the absolute one in the viewer's zone and UTC as tooltip. */
export function Time({ at, none = "never" }: { readonly at: string | null | undefined; readonly none?: string }) {
  const now = useNow();
  if (at === null || at === undefined) {
    return <span className="console-dimmed">{none}</span>;
  }
  return (
    // Native tooltip: lists have hundreds of times.
    <time dateTime={at} title={formatAbsolute(at)}>
      {formatRelative(at, now)}
    </time>
  );
}

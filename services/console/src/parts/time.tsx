import { Text } from "@mantine/core";
import { formatAbsolute, formatRelative } from "./format.ts";
import { useNow } from "./use-now.ts";

/** A moment, relative; the absolute one in the viewer's zone and UTC on hover. */
export function Time({ at, none = "never" }: { readonly at: string | null | undefined; readonly none?: string }) {
  const now = useNow();
  if (at === null || at === undefined) {
    return (
      <Text span c="dimmed" inherit>
        {none}
      </Text>
    );
  }
  return (
    // The browser's own tooltip: lists have hundreds of times.
    <time dateTime={at} title={formatAbsolute(at)}>
      {formatRelative(at, now)}
    </time>
  );
}

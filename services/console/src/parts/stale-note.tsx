import { Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatAbsolute, formatClock, formatRelative } from "./format.ts";
import { useNow } from "./use-now.ts";

/** Calls take less, unless there is a problem. */
const slowAfterMs = 3_000;

interface StaleNoteProps {
  readonly query: {
    readonly dataUpdatedAt: number;
    /** Whether the last read failed. */
    readonly isError: boolean;
    readonly isFetching: boolean;
  };
}

/** Age of a view's data while it cannot be refreshed, or the refresh is slow. */
export function StaleNote({ query: { dataUpdatedAt, isError, isFetching } }: StaleNoteProps) {
  const isSlow = useIsLasting(isFetching, slowAfterMs);
  const now = useNow();
  if (dataUpdatedAt === 0 || !(isError || isSlow)) return null;
  const at = new Date(dataUpdatedAt).toISOString();
  return (
    <Text size="sm" component="output">
      As of{" "}
      <time dateTime={at} title={formatAbsolute(at)}>
        {formatClock(dataUpdatedAt, now)}
      </time>
      , {formatRelative(at, now)}.
    </Text>
  );
}

/** Whether a condition has held for some time without interruption. */
function useIsLasting(isOn: boolean, forMs: number): boolean {
  const [isLasting, setIsLasting] = useState(false);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setTimeout(() => setIsLasting(true), forMs);
    return () => {
      clearTimeout(timer);
      setIsLasting(false);
    };
  }, [isOn, forMs]);
  return isLasting;
}

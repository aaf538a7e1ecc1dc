import { Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatAbsolute, formatClock, formatRelative } from "./format.ts";
import { useNow } from "./use-now.ts";

/** A question to the gateway takes less than this, unless something is wrong. */
const slowAfterMs = 3_000;

interface StaleNoteProps {
  readonly query: {
    readonly dataUpdatedAt: number;
    /** Whether the last reading failed. */
    readonly isError: boolean;
    readonly isFetching: boolean;
  };
}

/** Age of a view's data, where it could not be read again, or where reading it takes long. Nothing where it is fresh. */
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

/** Whether something has been so for some time without a break. */
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

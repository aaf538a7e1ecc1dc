import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import type { Arguments } from "./control-plane.ts";
import type { LogEntry, LogName } from "./types.ts";
import { operationKey, useSignedIn } from "./use-control-plane.ts";

/** Rows per read; lists that are refreshed often read fewer. */
const pageRows = { live: 100, still: 200 } as const;
const liveEveryMs = 3_000;
const rowsMax = 10_000;

/** The part of a log that has been read. */
export interface Log<Row> {
  /** Undefined until the first page is read. */
  readonly entries: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly reading: { readonly dataUpdatedAt: number; readonly isError: boolean; readonly isFetching: boolean };
  readonly readOn: () => void;
  readonly hasMore: boolean;
  readonly isReadingOn: boolean;
}

/**
 * A log, newest first: refreshes its first page while live, and reads older pages on demand, up to 10,000 rows. Scrolling into
 * the past pauses it.
 */
export function useLog<Name extends LogName>(name: Name, args: Arguments, isLive: boolean): Log<LogEntry<Name>> {
  const { controlPlane } = useSignedIn();
  const limit = isLive ? pageRows.live : pageRows.still;
  const query = useInfiniteQuery({
    queryKey: [...operationKey(name, args), "pages", limit],
    queryFn: async ({ pageParam, signal }) =>
      await controlPlane.call(name, { limit, ...args, ...(pageParam !== undefined && { cursor: pageParam }) }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }, pages) =>
      pages.length * limit < rowsMax ? (next_cursor ?? undefined) : undefined,
    refetchInterval: ({ state }) => (isLive && (state.data?.pages.length ?? 0) < 2 ? liveEveryMs : false),
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const entries = useMemo(() => data?.pages.flatMap((page): readonly LogEntry<Name>[] => page.entries), [data]);
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const { error, refetch, dataUpdatedAt, isError, isFetching } = query;
  const reading = { dataUpdatedAt, isError, isFetching: isFetching && !isFetchingNextPage };
  return { entries, error, refetch, reading, readOn, hasMore: hasNextPage, isReadingOn: isFetchingNextPage };
}

import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorAlert } from "./error-alert.tsx";
import { StaleNote } from "./stale-note.tsx";
import { Waiting } from "./waiting.tsx";

interface QueryViewProps<Result> {
  readonly query: UseQueryResult<Result>;
  /** Grey lines while it is on its way: about as many as the view will be high, so that what stands below it does not jump. */
  readonly lines?: number;
  readonly children: (result: Result) => ReactNode;
}

/** The states that every view of read data has: on its way, failed, there. What was read before stays while it is read again. */
export function QueryView<Result>({ query, lines = 5, children }: QueryViewProps<Result>) {
  const { data, refetch } = query;
  const error = useLastError(query);
  if (data === undefined)
    return error === null ? <Waiting lines={lines} /> : <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <>
      {children(data)}
      <StaleNote query={query} />
      <ErrorAlert error={error} onRetry={refetch} />
    </>
  );
}

/** The error stays while the same is tried again, so that the page does not go back and forth between it and grey lines. */
export function useLastError<Result>({ error, isSuccess, errorUpdateCount }: UseQueryResult<Result>): Error | null {
  const [last, setLast] = useState(error);
  const next = isSuccess || errorUpdateCount === 0 ? null : (error ?? last);
  if (next !== last) setLast(next);
  return next;
}

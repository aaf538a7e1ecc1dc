import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ErrorAlert } from "./error-alert.tsx";
import { StaleNote } from "./stale-note.tsx";
import { Waiting } from "./waiting.tsx";

interface QueryViewProps<Result> {
  readonly query: UseQueryResult<Result>;
  /** Placeholder lines while loading; about the height of the view, so that nothing below jumps. */
  readonly lines?: number;
  readonly children: (result: Result) => ReactNode;
}

/** Renders a read's states: loading, failed, loaded. Loaded data stays during a refresh. */
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

/** Keeps the error during a retry, so that the page does not alternate with placeholders. */
export function useLastError<Result>({ error, isSuccess, errorUpdateCount }: UseQueryResult<Result>): Error | null {
  const [last, setLast] = useState(error);
  const next = isSuccess || errorUpdateCount === 0 ? null : (error ?? last);
  if (next !== last) setLast(next);
  return next;
}

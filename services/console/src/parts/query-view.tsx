import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "./error-alert.tsx";
import { Waiting } from "./waiting.tsx";

export interface QueryViewProps<Result> {
  readonly query: UseQueryResult<Result>;
  readonly children: (result: Result) => ReactNode;
}

/** The states that every view of read data has: on its way, failed, there. What was read before stays while it is read again. */
export function QueryView<Result>({ query, children }: QueryViewProps<Result>) {
  const { data, error, refetch } = query;
  if (data === undefined) return error === null ? <Waiting /> : <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <>
      {children(data)}
      <ErrorAlert error={error} onRetry={refetch} />
    </>
  );
}

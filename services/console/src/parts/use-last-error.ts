import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

/** The error stays while the same is tried again, so that the page does not go back and forth between it and grey lines. */
export function useLastError<Result>({ error, isSuccess, errorUpdateCount }: UseQueryResult<Result>): Error | null {
  const [last, setLast] = useState(error);
  const next = isSuccess || errorUpdateCount === 0 ? null : (error ?? last);
  if (next !== last) setLast(next);
  return next;
}

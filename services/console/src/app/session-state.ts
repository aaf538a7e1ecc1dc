import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { sessionQuery } from "../api/session.ts";

/** Query of a person's cache that checks the session periodically. */
export const sessionWatchKey = ["session-watch"] as const;

/** Query of the page's cache with the id of a session that ended while shown; null: none. */
export const endedSessionQuery = queryOptions<number | null>({
  queryKey: ["ended-session"],
  queryFn: () => null,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Makes the page ask for a sign-in on top of its content. No effect for a visitor. */
export function recordSessionEnd(page: QueryClient): void {
  const session = page.getQueryData(sessionQuery.queryKey);
  if (session) page.setQueryData(endedSessionQuery.queryKey, session.session_id);
}

/** Whether the gateway has refused the shown session. */
export function hasSessionEnded(page: QueryClient): boolean {
  const session = page.getQueryData(sessionQuery.queryKey);
  return Boolean(session) && page.getQueryData(endedSessionQuery.queryKey) === session?.session_id;
}

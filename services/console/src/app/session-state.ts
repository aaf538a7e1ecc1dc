import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { sessionQuery } from "../api/session.ts";

/** In a person's cache: the question from time to time, who is signed in. */
export const sessionWatchKey = ["session-watch"] as const;

/** In the page's cache: the id of the session that has ended while it was shown, null where none has. */
export const endedSessionQuery = queryOptions<number | null>({
  queryKey: ["ended-session"],
  queryFn: () => null,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Has the page ask for a sign-in on top of what it shows. Nothing for a person who was not signed in. */
export function recordSessionEnd(page: QueryClient): void {
  const session = page.getQueryData(sessionQuery.queryKey);
  if (session) page.setQueryData(endedSessionQuery.queryKey, session.session_id);
}

/** Whether the gateway has refused the session that the page shows. */
export function hasSessionEnded(page: QueryClient): boolean {
  const session = page.getQueryData(sessionQuery.queryKey);
  return Boolean(session) && page.getQueryData(endedSessionQuery.queryKey) === session?.session_id;
}

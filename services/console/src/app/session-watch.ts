import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { isPassing } from "../api/call-error.ts";
import { askSession, type Session, sessionQuery } from "../api/session.ts";
import { sessionEndedKey } from "./session-ended.ts";

const watchKey = ["session-watch"];
const everyMs = 15_000;
/** While something could not be read: the gateway may be back, and then it is read again. */
const everyInTroubleMs = 3_000;

/**
 * Asks from time to time, and when the page comes to the front, who is signed in: a role can change, and a session end, while the
 * page is open and still. Once the gateway answers, what could not be read for its absence is read again.
 */
export function useSessionWatch(): void {
  const cache = useQueryClient();
  useQuery({
    queryKey: watchKey,
    queryFn: async () => {
      const known = cache.getQueryData(sessionQuery.queryKey);
      const now = await askSession();
      // Somebody has signed in or out meanwhile: this is the answer about another session.
      if (cache.getQueryData(sessionQuery.queryKey)?.csrf_token === known?.csrf_token) note(cache, now);
      return now?.role ?? null;
    },
    retry: false,
    refetchInterval: () => (troubledQueries(cache).length > 0 ? everyInTroubleMs : everyMs),
    refetchOnWindowFocus: "always",
  });
}

function note(cache: QueryClient, now: Session | null): void {
  if (now === null) {
    // The page stays; the sign-in comes on top of it.
    cache.setQueryData(sessionEndedKey, true);
    return;
  }
  const before = cache.getQueryData(sessionQuery.queryKey);
  if (JSON.stringify(rightsOf(before)) !== JSON.stringify(rightsOf(now))) {
    cache.setQueryData(sessionQuery.queryKey, now);
    cache.setQueryData(sessionEndedKey, false);
    void cache.invalidateQueries({ queryKey: ["operations"] });
    void cache.invalidateQueries({ queryKey: ["operation"] });
    return;
  }
  for (const { queryKey } of troubledQueries(cache)) void cache.refetchQueries({ queryKey, exact: true });
}

function rightsOf(session: Session | null | undefined) {
  return session && [session.csrf_token, session.name, session.role, session.projects];
}

/** Of the page that is open: not read, for a reason that may pass. */
function troubledQueries(cache: QueryClient) {
  return cache
    .getQueryCache()
    .findAll({ type: "active", predicate: ({ state }) => state.status === "error" && isPassing(state.error) })
    .filter(({ state }) => state.fetchStatus === "idle");
}

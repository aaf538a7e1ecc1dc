import { useIdle } from "@mantine/hooks";
import { focusManager, type QueryClient, type QueryState, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { isPassing } from "../api/call-error.ts";
import { askSession, type Session, sessionQuery } from "../api/session.ts";

/** In the cache: whether the gateway has refused the session since it began. */
export const sessionEndedKey = ["session-ended"] as const;

const watchKey = ["session-watch"];
const everyMs = 15_000;
/** While something could not be read: the gateway may be back, and then it is read again. */
const pauseInTroubleMs = { min: 3_000, max: 30_000 } as const;
/** Without a key or a movement in the page. */
const leftAfterMs = 600_000;

/**
 * Asks from time to time, and when the page comes to the front, who is signed in: a role can change, and a session end, while the
 * page is open and still. Once the gateway answers, what could not be read for its absence is read again.
 */
export function useSessionWatch(): void {
  const cache = useQueryClient();
  const trouble = useRef<Trouble>(undefined);
  useQuery({
    queryKey: watchKey,
    queryFn: async () => {
      trouble.current = isInTrouble(cache) ? lasting(trouble.current) : undefined;
      const known = cache.getQueryData(sessionQuery.queryKey);
      const now = await askSession();
      // Somebody has signed in or out meanwhile: this is the answer about another session.
      if (cache.getQueryData(sessionQuery.queryKey)?.csrf_token === known?.csrf_token) recordSession(cache, now);
      return now?.role ?? null;
    },
    retry: false,
    refetchInterval: () => (isInTrouble(cache) ? (trouble.current?.pauseMs ?? pauseInTroubleMs.min) : everyMs),
    refetchOnWindowFocus: "always",
  });
}

interface Trouble {
  readonly sinceMs: number;
  readonly pauseMs: number;
}

/** The pause doubles with each round that fails: it is as long as the trouble has lasted. Coming to the front adds nothing to it. */
function lasting(before: Trouble | undefined): Trouble {
  const { sinceMs } = before ?? { sinceMs: Date.now() };
  const { min, max } = pauseInTroubleMs;
  return { sinceMs, pauseMs: Math.min(Math.max(Date.now() - sinceMs, min), max) };
}

/**
 * Ends all asking from time to time while the page gets no input, since each question is a use of the session, which then never ends
 * by idleness; the next input begins it again. @returns whether it has ended
 */
export function useRest(): boolean {
  const isLeft = useIdle(leftAfterMs, { initialState: false });
  useEffect(() => {
    focusManager.setFocused(isLeft ? false : undefined);
    return () => focusManager.setFocused(undefined);
  }, [isLeft]);
  return isLeft;
}

function recordSession(cache: QueryClient, now: Session | null): void {
  if (now === null) {
    // The page stays; the sign-in comes on top of it.
    cache.setQueryData(sessionEndedKey, true);
    return;
  }
  const hadEnded = cache.getQueryData(sessionEndedKey) === true;
  cache.setQueryData(sessionEndedKey, false);
  const before = cache.getQueryData(sessionQuery.queryKey);
  if (hadEnded || JSON.stringify(rightsOf(before)) !== JSON.stringify(rightsOf(now))) {
    cache.setQueryData(sessionQuery.queryKey, now);
    void cache.invalidateQueries({ queryKey: ["operations"] });
    void cache.invalidateQueries({ queryKey: ["operation"] });
    return;
  }
  readAgain(cache);
}

function rightsOf(session: Session | null | undefined) {
  return session && [session.csrf_token, session.name, session.role, session.projects];
}

/** Each once: the next round asks again for what fails. */
function readAgain(cache: QueryClient): void {
  const troubled = troubledQueries(cache).filter(({ state }) => state.fetchStatus === "idle");
  for (const query of troubled) query.fetch({ ...query.options, retry: false }).catch(() => undefined);
}

function isInTrouble(cache: QueryClient): boolean {
  return troubledQueries(cache).length > 0;
}

/** Of the page that is open: not read, for a reason that may pass; or being read after that. */
function troubledQueries(cache: QueryClient) {
  return cache.getQueryCache().findAll({ type: "active", predicate: ({ state }) => isTroubled(state) });
}

function isTroubled({ status, error, errorUpdateCount }: QueryState): boolean {
  return status === "error" ? isPassing(error) : status === "pending" && errorUpdateCount > 0;
}

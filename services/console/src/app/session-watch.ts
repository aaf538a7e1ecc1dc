import { useIdle } from "@mantine/hooks";
import { focusManager, type QueryClient, type QueryState, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { isPassing } from "../api/call-error.ts";
import { askSession, type Session, sessionQuery } from "../api/session.ts";
import { endedSessionQuery, hasSessionEnded, recordSessionEnd, sessionWatchKey } from "./session-state.ts";

const everyMs = 15_000;
/** While something could not be read: the gateway may be back, and then it is read again. */
const pauseInTroubleMs = { min: 3_000, max: 30_000 } as const;
/** Without a key or a movement in the page. */
const leftAfterMs = 600_000;

/**
 * Asks from time to time, and when the page comes to the front, who is signed in: a role can change, and a session end, while the
 * page is open and still. Once the gateway answers, what could not be read for its absence is read again.
 */
export function useSessionWatch(page: QueryClient): void {
  const cache = useQueryClient();
  const trouble = useRef<Trouble>(undefined);
  useQuery({
    queryKey: sessionWatchKey,
    queryFn: async () => {
      trouble.current = isInTrouble(cache) ? lasting(trouble.current) : undefined;
      const known = page.getQueryData(sessionQuery.queryKey);
      const now = await askSession();
      // A sign-in or sign-out has come meanwhile: this is the answer about another session.
      if (page.getQueryData(sessionQuery.queryKey)?.csrf_token === known?.csrf_token) record(page, cache, now);
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

/** @param cache of the person who was signed in before */
function record(page: QueryClient, cache: QueryClient, now: Session | null): void {
  if (now === null) {
    // The page stays; the sign-in comes on top of it.
    recordSessionEnd(page);
    return;
  }
  const hadEnded = hasSessionEnded(page);
  page.setQueryData(endedSessionQuery.queryKey, null);
  const before = page.getQueryData(sessionQuery.queryKey);
  if (hadEnded || JSON.stringify(rightsOf(before)) !== JSON.stringify(rightsOf(now))) {
    // Session of another person: it ends the page of this one, with its cache.
    page.setQueryData(sessionQuery.queryKey, now);
    readAllAgain(cache);
    return;
  }
  readAgain(cache);
}

/** For a person whose rights may have changed. What no open part shows goes at once; the rest with the next answer. */
export function readAllAgain(cache: QueryClient): void {
  cache.removeQueries({ queryKey: ["operation"], type: "inactive" });
  void cache.invalidateQueries({ queryKey: ["operations"] });
  void cache.invalidateQueries({ queryKey: ["operation"] });
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

/** Queries of the open page that were not read, for a reason that may pass, or are being read after that. */
function troubledQueries(cache: QueryClient) {
  return cache.getQueryCache().findAll({ type: "active", predicate: ({ state }) => isTroubled(state) });
}

function isTroubled({ status, error, errorUpdateCount }: QueryState): boolean {
  return status === "error" ? isPassing(error) : status === "pending" && errorUpdateCount > 0;
}

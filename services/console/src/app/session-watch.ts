import { useIdle } from "@mantine/hooks";
import { focusManager, type QueryClient, type QueryState, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { isPassing } from "../api/call-error.ts";
import { askSession, type Session, sessionQuery } from "../api/session.ts";
import { endedSessionQuery, hasSessionEnded, recordSessionEnd, sessionWatchKey } from "./session-state.ts";

const everyMs = 15_000;
/** Pause between retries while something cannot be read. */
const pauseInTroubleMs = { min: 3_000, max: 30_000 } as const;
/** Time without input after which the person counts as away. */
const leftAfterMs = 600_000;

/**
 * Checks the session periodically and when the page becomes visible: a role can change and a session end meanwhile. Once the
 * gateway answers again, failed reads are repeated.
 */
export function useSessionWatch(page: QueryClient): void {
  const cache = useQueryClient();
  const trouble = useRef<Trouble>(undefined);
  useQuery({
    queryKey: sessionWatchKey,
    queryFn: async ({ signal }) => {
      trouble.current = isInTrouble(cache) ? lasting(trouble.current) : undefined;
      const known = shownSession(page);
      const now = await askSession(signal);
      // Otherwise a sign-in, a sign-out or the session's end came meanwhile: this answer is older.
      if (shownSession(page) === known) record(page, cache, now);
      return now?.role ?? null;
    },
    retry: false,
    refetchInterval: () => (isInTrouble(cache) ? (trouble.current?.pauseMs ?? pauseInTroubleMs.min) : everyMs),
    refetchOnWindowFocus: "always",
  });
}

/** Text that changes with the session and with its end. */
function shownSession(page: QueryClient): string {
  return JSON.stringify([page.getQueryData(sessionQuery.queryKey)?.csrf_token, hasSessionEnded(page)]);
}

interface Trouble {
  readonly sinceMs: number;
  readonly pauseMs: number;
}

/** Doubles the pause with each failed round, so that it is as long as the outage. Making the page visible does not lengthen it. */
function lasting(before: Trouble | undefined): Trouble {
  const { sinceMs } = before ?? { sinceMs: Date.now() };
  const { min, max } = pauseInTroubleMs;
  return { sinceMs, pauseMs: Math.min(Math.max(Date.now() - sinceMs, min), max) };
}

/**
 * Stops periodic reads while the page gets no input, since each read uses the session and would keep it from ending by idleness;
 * the next input resumes them. @returns whether they are stopped
 */
export function useRest(): boolean {
  const isLeft = useIdle(leftAfterMs, { initialState: false });
  useEffect(() => {
    focusManager.setFocused(isLeft ? false : undefined);
    return () => focusManager.setFocused(undefined);
  }, [isLeft]);
  return isLeft;
}

/** @param cache of the formerly signed-in person */
function record(page: QueryClient, cache: QueryClient, now: Session | null): void {
  if (now === null) {
    // Keeps the page; the sign-in is shown on top.
    recordSessionEnd(page);
    return;
  }
  const hadEnded = hasSessionEnded(page);
  page.setQueryData(endedSessionQuery.queryKey, null);
  const before = page.getQueryData(sessionQuery.queryKey);
  if (hadEnded || JSON.stringify(rightsOf(before)) !== JSON.stringify(rightsOf(now))) {
    // Another person's session replaces this person's page and cache.
    page.setQueryData(sessionQuery.queryKey, now);
    readAllAgain(cache);
    return;
  }
  readAgain(cache);
}

/** After a possible change of rights: drops data that is not shown, and refreshes the rest. */
export function readAllAgain(cache: QueryClient): void {
  cache.removeQueries({ queryKey: ["operation"], type: "inactive" });
  void cache.invalidateQueries({ queryKey: ["operations"] });
  void cache.invalidateQueries({ queryKey: ["operation"] });
}

function rightsOf(session: Session | null | undefined) {
  return session && [session.csrf_token, session.name, session.role, session.projects];
}

/** Each once; the next round repeats failures. */
function readAgain(cache: QueryClient): void {
  const troubled = troubledQueries(cache).filter(({ state }) => state.fetchStatus === "idle");
  for (const query of troubled) query.fetch({ ...query.options, retry: false }).catch(() => undefined);
}

function isInTrouble(cache: QueryClient): boolean {
  return troubledQueries(cache).length > 0;
}

/** Queries of the open page that failed for a temporary reason, or are being retried. */
function troubledQueries(cache: QueryClient) {
  return cache.getQueryCache().findAll({ type: "active", predicate: ({ state }) => isTroubled(state) });
}

function isTroubled({ status, error, errorUpdateCount }: QueryState): boolean {
  return status === "error" ? isPassing(error) : status === "pending" && errorUpdateCount > 0;
}

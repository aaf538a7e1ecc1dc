import { type DefaultOptions, MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { CallError, isPassing, isSignedOut } from "../api/call-error.ts";
import { sessionQuery } from "../api/session.ts";
import { hasSessionEnded, recordSessionEnd, sessionWatchKey } from "./session-state.ts";

const retriesMax = 2;
const freshMs = 5_000;
const forbiddenStatus = 403;

const defaultOptions: DefaultOptions = {
  queries: {
    // The gateway may be on this machine; and where the network is away, a call that fails says so.
    networkMode: "always",
    refetchOnReconnect: true,
    staleTime: freshMs,
    retry: (failures, err) => failures < retriesMax && isPassing(err),
  },
  mutations: { networkMode: "always" },
};

/** For the time before and between sign-ins: who is there, and how people sign in. */
export function createPageCache(): QueryClient {
  return new QueryClient({ defaultOptions });
}

interface PersonCache {
  readonly cache: QueryClient;
  /** Forgets everything. Answers that are still on their way say nothing about the next session. */
  readonly close: () => void;
}

/** Everything that one person has read, and may do. It is never shown to another person: each has a cache. */
export function createPersonCache(page: QueryClient): PersonCache {
  let isClosed = false;
  const cache: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: recordUnread }),
    mutationCache: new MutationCache({ onError: recordRefusal }),
    defaultOptions,
  });
  const close = () => {
    isClosed = true;
    cache.clear();
  };
  return { cache, close };

  /** The page stays as it is, with what was typed; the person signs in again on top of it. */
  function recordUnread(err: Error, query: Query<unknown, unknown>): void {
    if (isClosed) return;
    if (isConfined(page) && isRefused(err)) dropData(query);
    if (isSignedOut(err)) recordSessionEnd(page);
    // The role was lowered, or the browser has another session by now.
    else if (isForbidden(err)) void cache.invalidateQueries({ queryKey: sessionWatchKey });
  }

  /** A refused change may be beyond the person's rights now: they are asked for again. */
  function recordRefusal(err: Error): void {
    if (isClosed) return;
    if (isSignedOut(err)) recordSessionEnd(page);
    // The page under the sign-in stays: asked who is there, the gateway would name no person.
    if (isSignedOut(err) || hasSessionEnded(page)) return;
    void cache.invalidateQueries({ queryKey: ["operations"] });
    void page.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

/** Whether the person is confined to named projects, which may have become fewer while the page is open. */
function isConfined(page: QueryClient): boolean {
  return (page.getQueryData(sessionQuery.queryKey)?.projects ?? null) !== null;
}

/** By the gateway, for what was asked; an answer that failed, and a session that has ended, are none. */
function isRefused(err: Error): boolean {
  return err instanceof CallError && !err.isPassing && !isSignedOut(err);
}

/** Data that may not be read any more is not shown any more, either. */
function dropData(query: Query<unknown, unknown>): void {
  if (query.state.data !== undefined) query.setState({ data: undefined, dataUpdatedAt: 0 });
}

function isForbidden(err: Error): boolean {
  return err instanceof CallError && err.status === forbiddenStatus;
}

import { type DefaultOptions, MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { CallError, isPassing, isSignedOut } from "../api/call-error.ts";
import { sessionQuery } from "../api/session.ts";
import { hasSessionEnded, recordSessionEnd, sessionWatchKey } from "./session-state.ts";

const retriesMax = 2;
const freshMs = 5_000;
const forbiddenStatus = 403;

const defaultOptions: DefaultOptions = {
  queries: {
    // Calls are made even offline: the gateway may be on this machine, and a failed call shows an error.
    networkMode: "always",
    refetchOnReconnect: true,
    staleTime: freshMs,
    retry: (failures, err) => failures < retriesMax && isPassing(err),
  },
  mutations: { networkMode: "always" },
};

/** Cache before and between sign-ins: the session and the identity providers. */
export function createPageCache(): QueryClient {
  return new QueryClient({ defaultOptions });
}

interface PersonCache {
  readonly cache: QueryClient;
  /** Clears the cache, and ignores pending answers, which do not concern the next session. */
  readonly close: () => void;
}

/** Cache of one person's data and rights; never shared with another person. */
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

  /** Records errors of reads. An ended session keeps the page and its input; the person signs in on top of it. */
  function recordUnread(err: Error, query: Query<unknown, unknown>): void {
    if (isClosed) return;
    if (isConfined(page) && isRefused(err)) dropData(query);
    if (isSignedOut(err)) recordSessionEnd(page);
    // The role was lowered, or the browser has another session.
    else if (isForbidden(err)) void cache.invalidateQueries({ queryKey: sessionWatchKey });
  }

  /** After a refused change, reads the person's rights again. */
  function recordRefusal(err: Error): void {
    if (isClosed) return;
    if (isSignedOut(err)) recordSessionEnd(page);
    // Keeps the page under the sign-in: reading the session again would return no person.
    if (isSignedOut(err) || hasSessionEnded(page)) return;
    void cache.invalidateQueries({ queryKey: ["operations"] });
    void page.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

/** Whether the person is limited to named projects, which may change while the page is open. */
function isConfined(page: QueryClient): boolean {
  return (page.getQueryData(sessionQuery.queryKey)?.projects ?? null) !== null;
}

/** Whether the gateway refused the question itself, as opposed to a failure or an ended session. */
function isRefused(err: Error): boolean {
  return err instanceof CallError && !err.isPassing && !isSignedOut(err);
}

/** Removes data that may no longer be read. */
function dropData(query: Query<unknown, unknown>): void {
  if (query.state.data !== undefined) query.setState({ data: undefined, dataUpdatedAt: 0 });
}

function isForbidden(err: Error): boolean {
  return err instanceof CallError && err.status === forbiddenStatus;
}

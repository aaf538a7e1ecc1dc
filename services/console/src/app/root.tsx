import { notifications } from "@mantine/notifications";
import { type QueryClient, QueryClientProvider, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CatchBoundary } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { ControlPlane } from "../api/control-plane.ts";
import { useSessionNews } from "../api/session-news.ts";
import { type Session, sessionQuery, signOut } from "../api/session.ts";
import { UnansweredKeys } from "../api/unanswered-keys.ts";
import { type SignedIn, SignedInContext } from "../api/use-control-plane.ts";
import { ErrorPage } from "../parts/error-page.tsx";
import { LeaveQuestion, lossAtStake, useLossQuestion } from "../parts/leave-guard.tsx";
import { notifyFailed } from "../parts/notify.ts";
import { useLastError } from "../parts/query-view.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { createPersonCache } from "./caches.ts";
import { useFocusKeeper } from "./focus-keeper.ts";
import { SecretGuard } from "./secret-guard.tsx";
import { endedSessionQuery, recordSessionEnd, sessionWatchKey } from "./session-state.ts";
import { readAllAgain, useRest, useSessionWatch } from "./session-watch.ts";
import { Shell } from "./shell.tsx";
import { SignInAgain, SignInPage } from "./sign-in.tsx";
import { useSteadyClicks } from "./steady-click.ts";
import { TopDialog, useTopDialogKeys } from "./top-dialog.tsx";

/** Reads the session, and shows the sign-in or the console. */
export function Root() {
  useFocusKeeper();
  useSteadyClicks();
  useTopDialogKeys();
  const query = useQuery(sessionQuery);
  const { data: session, refetch } = query;
  useSessionNews((sessionId) => {
    if (session === null && sessionId !== null) void refetch();
  });
  const error = useLastError(query);
  if (session === undefined) {
    return error === null ? <Waiting /> : <ErrorPage error={error} reset={() => void refetch()} />;
  }
  return session === null ? <SignInPage /> : <PersonRoot key={session.admin_key_id} session={session} />;
}

/**
 * The console of one person, with a separate cache: after another person's sign-in, neither data, rights nor forms remain. The
 * same person finds everything unchanged.
 */
function PersonRoot({ session }: { readonly session: Session }) {
  const page = useQueryClient();
  const [{ cache, close }] = useState(() => createPersonCache(page));
  const [isLeaving, setLeaving] = useState(false);
  const signedIn = useSignedInPerson(page, session);
  useEffect(
    () => () => {
      close();
      // Pending notifications may offer to undo a change.
      notifications.clean();
    },
    [close],
  );
  if (isLeaving) return <Leaving session={session} onFailed={() => setLeaving(false)} />;
  return (
    <QueryClientProvider client={cache}>
      <SignedInContext value={signedIn}>
        <SignedInRoot page={page} session={session} onLeave={() => setLeaving(true)} />
      </SignedInContext>
    </QueryClientProvider>
  );
}

/**
 * Ends the session in place of the console, whose reads and timers have ended with it: none of them follows the end of the session
 * and is mistaken for the end of the next one.
 */
function Leaving({ session, onFailed }: { readonly session: Session; readonly onFailed: () => void }) {
  const { mutate } = useMutation({
    mutationFn: signOut,
    onSuccess: (_none, _session, _nothing, { client }) => client.setQueryData(sessionQuery.queryKey, null),
    onError(err) {
      notifyFailed(err);
      onFailed();
    },
  });
  useEffect(() => mutate(session), [mutate, session]);
  return <Waiting />;
}

interface SignedInRootProps {
  /** The page's cache; the context has the person's. */
  readonly page: QueryClient;
  readonly session: Session;
  readonly onLeave: () => void;
}

function SignedInRoot({ page, session, onLeave }: SignedInRootProps) {
  const cache = useQueryClient();
  const { data: endedId } = useQuery(endedSessionQuery, page);
  const { ask, question } = useLossQuestion({ title: "Sign out?", leave: "Sign out" });
  useSessionWatch(page);
  useOtherTabs(page);
  const isResting = useRest();
  const onSignedIn = (renewed: Session) => {
    page.setQueryData(sessionQuery.queryKey, renewed);
    readAllAgain(cache);
  };
  return (
    <>
      <CatchBoundary getResetKey={() => session.admin_key_id} errorComponent={ErrorPage}>
        <Shell session={session} isResting={isResting} onLeave={() => ask(onLeave)} />
      </CatchBoundary>
      <SecretGuard />
      <LeaveQuestion />
      {question}
      {endedId === session.session_id && (
        <TopDialog title="Your session has ended">
          <SignInAgain
            onSignedIn={onSignedIn}
            hint={`Sign in again to continue. What you typed is kept, for ${session.name} only.`}
          />
        </TopDialog>
      )}
    </>
  );
}

function useSignedInPerson(page: QueryClient, session: Session): SignedIn {
  const { admin_key_id: person } = session;
  const controlPlane = useMemo(() => {
    // Prevents remaining work of this person from acting with the next one's session.
    const csrfToken = () => {
      const now = page.getQueryData(sessionQuery.queryKey);
      return now?.admin_key_id === person ? now.csrf_token : "";
    };
    return new ControlPlane(csrfToken);
  }, [page, person]);
  const [unanswered] = useState(() => new UnansweredKeys());
  return useMemo(() => ({ session, controlPlane, unanswered }), [session, controlPlane, unanswered]);
}

/** Follows a sign-out in another tab; unsaved input waits for the same person under the sign-in. */
function useOtherTabs(page: QueryClient): void {
  const cache = useQueryClient();
  useSessionNews((sessionId) => {
    if (sessionId === null) {
      if (lossAtStake() === undefined) page.setQueryData(sessionQuery.queryKey, null);
      else recordSessionEnd(page);
    } else if (sessionId !== page.getQueryData(sessionQuery.queryKey)?.session_id) {
      void cache.invalidateQueries({ queryKey: sessionWatchKey });
    }
  });
}

import { getDefaultZIndex, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ControlPlane } from "../api/control-plane.ts";
import { type Session, sessionQuery, signOut } from "../api/session.ts";
import { SignedInContext } from "../api/use-control-plane.ts";
import { ErrorPage } from "../parts/error-page.tsx";
import { notifyFailed } from "../parts/notify.ts";
import { useLastError } from "../parts/query-view.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { sessionEndedKey, useRest, useSessionWatch } from "./session-watch.ts";
import { Shell } from "./shell.tsx";
import { SignInForm, SignInPage } from "./sign-in.tsx";

/** Asks who is there, and shows the sign-in or the console. */
export function Root() {
  const query = useQuery(sessionQuery);
  const { data: session, refetch } = query;
  const error = useLastError(query);
  if (session === undefined) {
    return error === null ? <Waiting /> : <ErrorPage error={error} reset={() => void refetch()} />;
  }
  return session === null ? <SignInPage /> : <SignedInRoot session={session} />;
}

/**
 * Ends the session. Nothing of the console stands on the page meanwhile: its questions are given up, and none comes after the end
 * of its session, to be taken for the end of the next one.
 */
function useLeave() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      cache.setQueryData(sessionQuery.queryKey, null);
      // Data that the next person may not see goes; the query of the session stays observed.
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
    },
    onError: notifyFailed,
  });
}

function SignedInRoot({ session }: { readonly session: Session }) {
  const cache = useQueryClient();
  const { data: hasEnded } = useQuery({ queryKey: sessionEndedKey, queryFn: () => false, staleTime: Infinity });
  const controlPlane = useMemo(
    () => new ControlPlane(() => cache.getQueryData(sessionQuery.queryKey)?.csrf_token ?? ""),
    [cache],
  );
  const leave = useLeave();
  useSessionWatch();
  const isResting = useRest();
  const signedIn = useMemo(() => ({ session, controlPlane }), [session, controlPlane]);
  const onSignedIn = (renewed: Session) => {
    cache.setQueryData(sessionQuery.queryKey, renewed);
    cache.setQueryData(sessionEndedKey, false);
    void cache.invalidateQueries({ queryKey: ["operation"] });
  };
  if (leave.isPending) return <Waiting />;
  return (
    <SignedInContext value={signedIn}>
      <Shell session={session} isResting={isResting} onLeave={() => leave.mutate(session)} />
      <Modal
        opened={hasEnded === true}
        onClose={() => undefined}
        withCloseButton={false}
        // Also over a drawer that was open before.
        zIndex={getDefaultZIndex("popover")}
        title="Your session has ended"
      >
        <SignInForm onSignedIn={onSignedIn} hint="Sign in again to go on. What you have typed is still there." />
      </Modal>
    </SignedInContext>
  );
}

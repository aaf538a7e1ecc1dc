import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { isPassing, isSignedOut } from "../api/call-error.ts";
import { readPageFacts } from "../api/page-facts.ts";
import { sessionQuery } from "../api/session.ts";
import { takePlace } from "../api/sign-in-providers.ts";
import { router } from "./routes.ts";
import { sessionEndedKey } from "./session-watch.ts";
import { motionMs, theme } from "./theme.ts";

const { styleNonce } = readPageFacts();
// Read by the libraries that write style elements (get-nonce, under Mantine's drawers and dialogs).
Object.assign(globalThis, { __webpack_nonce__: styleNonce });
// The person was here before the browser left for an identity provider.
const place = takePlace();
if (place !== undefined) router.history.replace(place);
const retriesMax = 2;
const freshMs = 5_000;

const cache: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: recordSignedOut }),
  mutationCache: new MutationCache({ onError: recordRefusal }),
  defaultOptions: {
    queries: {
      // The gateway may be on this machine; and where the network is away, a call that fails says so.
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: freshMs,
      retry: (failures, err) => failures < retriesMax && isPassing(err),
    },
    mutations: { networkMode: "always" },
  },
});

/** The console, from its root. */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <QueryClientProvider client={cache}>
        <Notifications position="bottom-right" transitionDuration={motionMs} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The page stays as it is, with what was typed; the person signs in again on top of it. Who was not signed in sees the sign-in. */
function recordSignedOut(err: Error): void {
  const wasSignedIn = Boolean(cache.getQueryData(sessionQuery.queryKey));
  if (isSignedOut(err) && wasSignedIn) cache.setQueryData(sessionEndedKey, true);
}

/** A refused change may be beyond the person's rights now: they are asked for again. */
function recordRefusal(err: Error): void {
  recordSignedOut(err);
  // The page under the sign-in stays: asked who is there, the gateway would name no person.
  if (isSignedOut(err) || cache.getQueryData(sessionEndedKey) === true) return;
  void cache.invalidateQueries({ queryKey: ["operations"] });
  void cache.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

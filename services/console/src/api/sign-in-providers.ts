import { queryOptions } from "@tanstack/react-query";
import { expectSession, notReached, toCallError } from "./session.ts";

interface SignInProvider {
  readonly id: string;
  readonly name: string;
}

const path = "/control/sign-in";
/** Key of the tab's storage for the page from which the browser left for a provider. */
const placeKey = "console-place";
const consolePath = "/console";

export const signInProvidersQuery = queryOptions({
  queryKey: ["sign-in-providers"],
  async queryFn() {
    const reply = await fetch(path).catch(notReached);
    if (!reply.ok) throw await toCallError(reply);
    return ((await reply.json()) as { readonly providers: readonly SignInProvider[] }).providers;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Path that redirects the browser to a provider's sign-in page; call `leaveForProvider` first to return to the present page. */
export function signInUrl({ id }: SignInProvider): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** Stores the present page, and marks that a session may exist on return. */
export function leaveForProvider(): void {
  expectSession();
  try {
    sessionStorage.setItem(placeKey, location.pathname + location.search + location.hash);
  } catch {
    // Without storage the person returns to the first page.
  }
}

/**
 * The stored page, once, on return, also from a refused sign-in: another one continues there. Comes from the page's own storage,
 * never from the gateway.
 */
export function takePlace(): string | undefined {
  if (location.pathname !== consolePath) return undefined;
  return takeStoredPlace() ?? (refusal === undefined ? undefined : consolePath);
}

function takeStoredPlace(): string | undefined {
  try {
    const place = sessionStorage.getItem(placeKey);
    sessionStorage.removeItem(placeKey);
    return place?.startsWith(`${consolePath}/`) === true ? place : undefined;
  } catch {
    return undefined;
  }
}

/** Explanations for the gateway's refusals of sign-ins. */
const refusals: Readonly<Record<string, string>> = {
  declined: "The identity provider declined the sign-in. Try again, or sign in with an admin key.",
  expired: "The sign-in expired or was started in another browser. Sign in again.",
  failed: "The identity provider's response was rejected. Ask an operator to check the gateway's log.",
  not_allowed: "You have no role in this gateway. Ask an owner to grant a role to one of your groups.",
  too_many: "Too many sign-ins have failed. Wait a minute, then try again.",
  unavailable: "The provider could not be reached. Try again later, or sign in with an admin key.",
  unknown_provider: "This identity provider is not configured. Choose another, or sign in with an admin key.",
};

/** Read before the stored page replaces the URL. */
let refusal = readRefusal();

function readRefusal(): string | undefined {
  const word = new URLSearchParams(location.search).get("sign_in");
  return word === null ? undefined : (refusals[word] ?? refusals["failed"]);
}

/** Why the last sign-in was refused; undefined: it was not. */
export function signInRefusal(): string | undefined {
  return refusal;
}

/** Ends the refusal's explanation, after a sign-in. */
export function forgetSignInRefusal(): void {
  refusal = undefined;
}

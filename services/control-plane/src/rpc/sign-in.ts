import type {
  FinishSignInRequest,
  FinishSignInResponse,
  ListSignInProvidersRequest,
  ListSignInProvidersResponse,
  StartSignInRequest,
  StartSignInResponse,
} from "@gatehouse/proto/control-plane";
import type { SignIns } from "../app/sign-ins.ts";
import { toSessionMessage } from "./admin-key-message.ts";

/** `ListSignInProviders`: ids and names alone, for callers who have not signed in. */
export function createListSignInProviders(signIns: Pick<SignIns, "list">) {
  return async function listSignInProviders(
    _request: ListSignInProvidersRequest,
  ): Promise<ListSignInProvidersResponse> {
    return { providers: [...signIns.list()] };
  };
}

/** `StartSignIn`: `authorizationUrl` with `attempt`, or a `refusal` (see `SignInRefusal`); the others are empty. */
export function createStartSignIn(signIns: Pick<SignIns, "start">) {
  return async function startSignIn({ providerId }: StartSignInRequest): Promise<StartSignInResponse> {
    const started = await signIns.start(providerId);
    if (typeof started === "string") return { authorizationUrl: "", attempt: "", refusal: started };
    return { authorizationUrl: started.url, attempt: started.attempt, refusal: "" };
  };
}

/** `FinishSignIn`: always under a new id, so that an attacker cannot choose it. */
export function createFinishSignIn(signIns: Pick<SignIns, "finish">) {
  return async function finishSignIn(request: FinishSignInRequest): Promise<FinishSignInResponse> {
    const outcome = await signIns.finish(request);
    if (outcome.kind === "refused") return { sessionId: "", refusal: outcome.refusal };
    return { session: toSessionMessage(outcome.session), sessionId: outcome.sessionId, refusal: "" };
  };
}

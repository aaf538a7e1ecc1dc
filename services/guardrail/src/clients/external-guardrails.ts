import { randomUUID } from "node:crypto";
import type { EgressGuard, GuardedFetch } from "@gatehouse/egress";
import { callCancelled, isGatewayError } from "@gatehouse/errors";
import { JsonRefusal, jsonBounds, parseJsonInSteps } from "@gatehouse/json";
import { runSized } from "@gatehouse/pace";
import type { Secret } from "@gatehouse/vault";
import { adapters } from "../domain/external/adapters.ts";
import { externalBounds, type ExternalDocument } from "../domain/external/external-document.ts";
import {
  type AskedExternal,
  ExternalReplyProblem,
  type ExternalRequest,
  type ExternalTexts,
  type ExternalVerdict,
} from "../domain/external/external-verdict.ts";

/** The owner of a question, and until when its caller waits for it. */
export interface ExternalPlace {
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly signal: AbortSignal;
}

/** A guardrail elsewhere has said something, or has failed; `cause` is for the log. */
export type ExternalOutcome = ExternalVerdict | { readonly action: "failed"; readonly cause: unknown };

/** Asks one guardrail. Never throws but for a caller who is gone. */
export type AskExternal = (
  external: ExternalDocument,
  texts: ExternalTexts,
  place: ExternalPlace,
) => Promise<ExternalOutcome>;

interface ExternalClientOptions {
  readonly fetch: GuardedFetch;
  /** Judges each use: a connection that is open already is not judged again. */
  readonly guard: Pick<EgressGuard, "readForm">;
  /** The opened secret of a guardrail that has one. */
  readonly readSecret: (secretUuid: string, projectUuid: string) => Promise<Secret | undefined>;
  /** Milliseconds since 1970. */
  readonly wallNow: () => number;
}

/** Questions are bounded in time, in the size of replies, and in number for each guardrail. */
export function createAskExternal(options: ExternalClientOptions): AskExternal {
  const inFlight = new Map<string, number>();
  return async (external, texts, place) => {
    const key = `${place.projectUuid} ${external.url}`;
    const count = inFlight.get(key) ?? 0;
    if (count >= externalBounds.inFlightMax) {
      return {
        action: "failed",
        cause: new Error(`${externalBounds.inFlightMax} questions to this guardrail are already in progress.`),
      };
    }
    inFlight.set(key, count + 1);
    try {
      return await ask(options, { external, ...texts }, place);
    } catch (cause) {
      if (place.signal.aborted) throw callCancelled(cause);
      return { action: "failed", cause };
    } finally {
      const left = (inFlight.get(key) ?? 1) - 1;
      if (left === 0) inFlight.delete(key);
      else inFlight.set(key, left);
    }
  };
}

type Asking = ExternalTexts & Pick<AskedExternal, "external">;

async function ask(options: ExternalClientOptions, asking: Asking, place: ExternalPlace): Promise<ExternalVerdict> {
  const { external } = asking;
  const adapter = adapters[external.kind];
  const { secret_id: secretId } = external;
  const secret = secretId === undefined ? undefined : await options.readSecret(secretId, place.projectUuid);
  if (secretId !== undefined && secret === undefined)
    throw new Error("The guardrail's stored secret no longer exists. Set it again in the policy.");
  const asked: AskedExternal = {
    ...asking,
    id: randomUUID(),
    projectUuid: place.projectUuid,
    endpointUuid: place.endpointUuid,
    timestampSeconds: Math.floor(options.wallNow() / 1_000),
    secret: secret?.reveal(),
  };
  const reply = await post(options, external, adapter.request(asked), place.signal);
  return adapter.read(reply, asking);
}

async function post(
  { fetch, guard }: ExternalClientOptions,
  { url, timeout_ms: timeoutMs }: ExternalDocument,
  request: ExternalRequest,
  signal: AbortSignal,
): Promise<unknown> {
  const { headers, body } = request;
  const bound = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(guard.readForm(url), { method: "POST", headers, body, signal: bound });
  const text = await response.text();
  if (response.status !== 200) throw new ExternalReplyProblem(`The guardrail answered ${response.status}.`);
  try {
    return await runSized(parseJsonInSteps(text, { bounds: jsonBounds, keys: "distinct" }), text.length);
  } catch (err) {
    if (err instanceof JsonRefusal) throw new ExternalReplyProblem(`The reply ${err.message}`);
    throw err;
  }
}

/** Why a guardrail failed, for the operator's log; nothing of its reply, nor of its secret. */
export function describeFailure(cause: unknown): string {
  // The platform quotes a header that cannot be sent, and the header may be the secret.
  if (cause instanceof TypeError)
    return "The question cannot be sent: its secret may have characters that an HTTP header cannot carry.";
  if (cause instanceof ExternalReplyProblem) return cause.message;
  if (isGatewayError(cause)) {
    const { detail } = cause.details;
    return typeof detail === "string" ? `${cause.message} ${detail}` : cause.message;
  }
  return cause instanceof Error ? cause.message : "unknown";
}

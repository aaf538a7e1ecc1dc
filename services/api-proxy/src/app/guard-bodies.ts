import type { LazySignal } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import {
  type GuardrailQuestion,
  type Judgement,
  maskingOf,
  type OutputCheck,
  type Rewriting,
  rewriteSegmentsInSteps,
  type Segment,
  toDocumentsInSteps,
  toUnitsInSteps,
} from "@gatehouse/guardrail-client";
import { runAtOnce, runSized } from "@gatehouse/pace";
import { PlaceholderValues } from "@gatehouse/placeholders";
import type { GuardedRequest } from "../domain/guarded-request.ts";
import { bodyQuota, InspectionQuota } from "../domain/inspection-quota.ts";
import { type ReadableBody, readBodyTextsInSteps, UnreadableBody } from "../domain/readable-body.ts";
import { askGuardrails, type AskGuardrailsOptions } from "./ask-guardrails.ts";

/** Requirements of the policy that covers a request. */
export interface Coverage {
  /** Whether and how the reply must be judged. */
  readonly outputCheck: OutputCheck;
  /** Whether the policy lets a reply pass that cannot be judged. */
  readonly failsOpen: boolean;
}

/** A request body as it may be forwarded. */
export interface JudgedBody {
  readonly body: Buffer;
  /** Values of the placeholders in the body, for the reply. */
  readonly values?: PlaceholderValues;
}

/** Judges request bodies by the policy of their endpoint, if it covers the API Gateway. Forwards exactly the judged body. */
export class BodyGuard {
  readonly #options: AskGuardrailsOptions;
  /** Bodies are held until their replies have ended. */
  readonly #quota = new InspectionQuota(bodyQuota);

  constructor(options: AskGuardrailsOptions) {
    this.#options = options;
  }

  /**
   * Judges the request's address, and returns the requirements of its policy, under which its body must be read whole.
   * @returns undefined, synchronously where possible, where no policy covers the request
   * @throws GatewayError as {@link judge}; `guardrail_blocked` also for an address that would have to be masked
   */
  covers(
    request: GuardedRequest,
    { address, abort }: { readonly address: () => readonly Segment[]; readonly abort: LazySignal },
  ): undefined | Promise<Coverage | undefined> {
    const texts = () => runAtOnce(toUnitsInSteps(address()));
    const documents = () => runAtOnce(toDocumentsInSteps({ segments: address(), values: [] }));
    return askGuardrails(request, { side: "input", texts, documents, abort }, this.#options)?.then(toCoverage);
  }

  /**
   * Reserves memory for a body that is read whole.
   * @returns a function that releases it, to be called once
   * @throws GatewayError `too_many_requests` where the project holds too many, `unavailable` where all together do
   */
  hold({ principal }: GuardedRequest): () => void {
    const held = this.#quota.open(principal.project.uuid);
    held.hold(1);
    return held.release;
  }

  /**
   * @returns the body to forward, and the values to restore in the reply
   * @throws GatewayError `guardrail_blocked`, also for a body that cannot be judged; `unavailable` where the guardrails are
   * unreachable, unless the policy lets requests pass
   */
  async judge(
    body: Buffer,
    request: GuardedRequest,
    /** Undefined: no `Content-Type`. */
    contentType: string | undefined,
    abort: LazySignal,
  ): Promise<JudgedBody> {
    const readable = await readOrRefuse(body, contentType);
    const asked = { side: "input", ...textsOf(readable, body.length), abort } as const;
    const judgement = await askGuardrails(request, asked, this.#options);
    const masking = maskingOf(judgement);
    if (masking === undefined) return { body };
    const masked = await runSized(rewriteBody(readable, { masking, values: undefined }), body.length);
    const { placeholders = [] } = judgement ?? {};
    return placeholders.length === 0 ? { body: masked } : { body: masked, values: new PlaceholderValues(placeholders) };
  }
}

/** The texts and JSON values of a body, in the form of a question; `bytes` is its size. */
export function textsOf(readable: ReadableBody, bytes: number): Pick<GuardrailQuestion, "texts" | "documents"> {
  const { segments, values = () => [] } = readable;
  const texts = () => runSized(toUnitsInSteps(segments), bytes);
  const entries = () => values().map((text) => ({ role: "parameter", text }));
  const documents = () => runSized(toDocumentsInSteps({ segments, values: entries() }), bytes);
  return { texts, documents };
}

function toCoverage(judgement: Judgement | undefined): Coverage | undefined {
  if (judgement?.maskedTexts === undefined) return judgement;
  throw unreadable("personal data must not be in the path or query, where it cannot be masked");
}

/** A body with its texts masked, or with the request's values restored. */
export function* rewriteBody(readable: ReadableBody, changes: Rewriting): Generator<void, Buffer> {
  return yield* readable.replace(yield* rewriteSegmentsInSteps(readable.segments, changes));
}

async function readOrRefuse(body: Buffer, contentType: string | undefined): Promise<ReadableBody> {
  try {
    return await runSized(readBodyTextsInSteps({ bytes: body, contentType, side: "input" }), body.length);
  } catch (err) {
    if (!(err instanceof UnreadableBody)) throw err;
    throw unreadable(`the body ${err.message}`);
  }
}

/** Refusal of a body that cannot be judged, under a policy. */
export function unreadable(problem: string): GatewayError {
  return new GatewayError("guardrail_blocked", `Request blocked: under this endpoint's guardrails ${problem}.`);
}

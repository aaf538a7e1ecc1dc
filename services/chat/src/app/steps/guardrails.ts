import { andThen, type LazySignal } from "@gatehouse/async";
import {
  documentsOfContentInSteps,
  inspectionOfInSteps,
  knownPlaceholders,
  maskContentInSteps,
} from "@gatehouse/content";
import { type ChatRequest, findProviderWork } from "@gatehouse/dialects";
import { GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import {
  CallContext,
  type GuardrailAnswer,
  type GuardrailClient,
  type GuardrailQuestion,
  type GuardrailRecord,
  type InspectedText,
  recordAnswer,
  type Side,
} from "@gatehouse/guardrail-client";
import { runSized } from "@gatehouse/pace";
import { PlaceholderValues } from "@gatehouse/placeholders";
import type { GuardrailEvent } from "../../domain/guardrail-event.ts";
import type { Admitted, Surface } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Client and record of guardrails, shared by the steps before and after the model. */
export interface GuardrailStepOptions {
  readonly client: GuardrailClient;
  readonly record: GuardrailRecord<GuardrailEvent>;
}

/**
 * Judges the caller's texts by the endpoint's policy (422; 503 where the policy is unavailable). Where personal data is masked,
 * everything after this step sees the masked texts only: the model, the session, the logs.
 */
export function createGuardrailsStep(options: GuardrailStepOptions): Step<Admitted> {
  return {
    name: "guardrails",
    enter(call) {
      const { request } = call;
      const texts = () => textsOf(request);
      const documents = () => runSized(documentsOfContentInSteps(request), request.bodyBytes);
      const asked = ask(call, { client: options.client, side: "input", texts, documents });
      return andThen(asked, (answer) => applyVerdict(call, answer, options));
    },
  };
}

function textsOf(request: ChatRequest): readonly InspectedText[] | Promise<readonly InspectedText[]> {
  return andThen(runSized(inspectionOfInSteps(request), request.bodyBytes), ({ texts }) => texts);
}

function applyVerdict(
  call: Admitted,
  answer: GuardrailAnswer,
  { record }: GuardrailStepOptions,
): Verdict | Promise<Verdict> {
  const judged = recordAnswer(answer, eventOf(call, "input"), record, "endpoint");
  if (judged instanceof GatewayError || judged instanceof Promise || judged === undefined) return judged;
  const { maskedTexts, maskedSpans: spans, outputCheck } = judged;
  const unseen = refuseProviderWork(call);
  if (unseen !== undefined) return unseen;
  call.outputCheck = outputCheck;
  if (judged.placeholders.length > 0) call.placeholders = new PlaceholderValues(judged.placeholders);
  if (judged.askBeside !== undefined) askBeside(call, judged.askBeside, record);
  if (maskedTexts === undefined) return undefined;
  const { request } = call;
  const masking = runSized(maskContentInSteps(request, { texts: maskedTexts, spans }), request.bodyBytes);
  return andThen(masking, (masked) => void (call.request = masked));
}

/** Runs the guardrails in parallel with the model. A block aborts the provider's work; the answer waits for the verdict. */
function askBeside(call: Admitted, ask: () => Promise<GuardrailAnswer>, record: GuardrailRecord<GuardrailEvent>): void {
  call.besideVerdict = ask()
    .then(async (answer) => await recordAnswer(answer, eventOf(call, "input"), record, "endpoint"))
    .then((judged) => (isGatewayError(judged) ? judged : undefined))
    .catch(toGatewayError)
    .then((refusal) => {
      if (refusal !== undefined && !call.abort.aborted) call.abort.abort(refusal);
      return refusal;
    });
}

/** Under a policy, refuses provider-side tools, whose texts are not judged, unless the operator allows them. */
function refuseProviderWork({ request, compiled }: Admitted): GatewayError | undefined {
  const work = request.parameters && findProviderWork(request.parameters);
  if (work === undefined || compiled.endpoint.allowedParameters.includes(work.name)) return undefined;
  const kind = JSON.stringify(work.kind.slice(0, shownLengthMax));
  const message =
    `Under this endpoint's guardrails, ${kind} is not accepted: the provider would run it with texts that are not judged. Leave it ` +
    `out, or ask the operator to name '${work.name}' in the endpoint's allowed_parameters.`;
  return new GatewayError("malformed_body", message);
}

/** Characters of a tool's type in a message. */
const shownLengthMax = 64;

interface Asking {
  readonly client: GuardrailClient;
  readonly side: Side;
  readonly texts: GuardrailQuestion["texts"];
  readonly documents?: GuardrailQuestion["documents"];
  /** Defaults to the call's own. */
  readonly abort?: LazySignal;
}

/** Asks the guardrails about the texts of one side of a call. */
export function ask(
  call: Admitted,
  { client, side, texts, documents, abort = call.abort }: Asking,
): GuardrailAnswer | Promise<GuardrailAnswer> {
  const { projectUuid, uuid: endpointUuid } = call.compiled.endpoint;
  const isInput = side === "input";
  return client.inspect({
    projectUuid,
    endpointUuid,
    surface: "chat",
    side,
    texts,
    documents,
    abort,
    asksBeside: isInput,
    context: () => contextOf(call),
    placeholders: isInput && call.session !== undefined ? knownPlaceholders(call.session) : undefined,
    traceparent: call.span.traceparent,
  });
}

const surfaces = {
  "chat.direct": "chat",
  "chat.dispatcher": "chat",
  "wrapper.chat": "wrapper",
  "wrapper.completions": "wrapper",
  "wrapper.embeddings": "wrapper",
  "mcp.bridge": "bridge",
} as const satisfies Readonly<Record<Surface, string>>;

/** Context of a call's questions: one object, so that sampling decides once for the whole call. */
export function contextOf(call: Admitted): CallContext {
  const { principal, surface, compiled, headers, requestId } = call;
  call.context ??= new CallContext({
    tokenId: principal.tokenId,
    surface: surfaces[surface],
    requestId,
    models: () => compiled.targets.map(({ target }) => target.model),
    headers,
  });
  return call.context;
}

/** The call and the side, for the record of guardrails. */
export function eventOf(call: Admitted, side: Side): GuardrailEvent {
  const { projectUuid, uuid: endpointUuid, slug } = call.compiled.endpoint;
  const { requestId, principal, ipAddress, span } = call;
  const traceparent = span.traceparent ?? "";
  return { requestId, projectUuid, endpointUuid, slug, side, principal, ipAddress, traceparent };
}

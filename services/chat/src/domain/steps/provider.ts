import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { Tracing } from "@gatehouse/telemetry";
import { type Call, type Reply, required } from "../call.ts";
import { type CompletionRequest, wireFields } from "../completion.ts";
import type { Endpoint, JsonObject, ReadyTarget } from "../endpoint.ts";
import { tryTargets } from "../failover.ts";
import { mergeParameters } from "../model-parameters.ts";
import type { Step } from "../pipeline.ts";
import type { Attempt, AttemptBounds, ProviderAdapter, ProviderKind } from "../provider.ts";

export interface ProviderStepOptions {
  readonly adapterFor: (kind: ProviderKind) => ProviderAdapter;
  readonly bounds: AttemptBounds;
  /** The whole call over all targets, milliseconds. */
  readonly deadlineMs: number;
  readonly tracing: Tracing;
}

/** Calls the model, with failover (502, 503). */
export function createProviderStep(options: ProviderStepOptions): Step {
  return {
    name: "provider",
    async enter(call) {
      const compiled = required(call.compiled, "the endpoint");
      call.deadlineTimer = setTimeout(() => call.abort.abort(deadlinePassed(options.deadlineMs)), options.deadlineMs);
      const outcome = await tryTargets(compiled, async (target) => await tracedAttempt(call, target, options));
      call.attempts = outcome.attempts;
      if (!outcome.ok) return deadlineOf(call) ?? outcome.error;
      call.reply = outcome.value;
      call.answeredBy = call.askedLast;
      return undefined;
    },
    leave(call) {
      clearTimeout(call.deadlineTimer);
    },
  };
}

/** The error of a call that ran into its deadline; undefined for a call that did not. */
export function deadlineOf(call: Call): GatewayError | undefined {
  const reason: unknown = call.abort.signal.reason;
  return isGatewayError(reason) ? reason : undefined;
}

function deadlinePassed(deadlineMs: number): GatewayError {
  return new GatewayError("provider_failed", `Provider call failed: no answer within ${deadlineMs} ms.`);
}

/** One attempt under a span of its own, ended with the reply's head for a stream and with the reply otherwise. */
async function tracedAttempt(call: Call, target: ReadyTarget, options: ProviderStepOptions): Promise<Reply> {
  const { address } = target;
  call.askedLast = target;
  const { endpoint } = required(call.compiled, "the endpoint");
  const hop = options.tracing.start(`chat ${address.model}`, {
    kind: "client",
    parent: call.hop.traceparent,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": address.kind,
      "gatehouse.provider": address.provider,
      "gen_ai.request.model": address.model,
      "gatehouse.request_id": call.requestId,
    },
  });
  const attempt: Attempt = {
    bounds: boundsOf(endpoint, options.bounds),
    signal: call.abort.signal,
    traceparent: hop.traceparent,
  };
  const adapter = options.adapterFor(address.kind);
  const request = toCompletionRequest(call, endpoint, address.model);
  try {
    const reply: Reply = wantsStream(call)
      ? { kind: "stream", stream: await adapter.stream(address, request, attempt) }
      : { kind: "complete", completion: await adapter.complete(address, request, attempt) };
    hop.end();
    return reply;
  } catch (err) {
    hop.end(err);
    throw err;
  }
}

/** A stream is honoured only where the endpoint may stream; elsewhere the reply is an ordinary one. */
function wantsStream(call: Call): boolean {
  return required(call.request, "the request").stream && required(call.compiled, "the endpoint").mayStream;
}

/** An output schema is also told to the model, unless the administrator or the caller has set a form of reply. */
function toCompletionRequest(call: Call, { parameters, outputSchema }: Endpoint, model: string): CompletionRequest {
  const own = required(call.request, "the request").parameters;
  const form = outputSchema === null ? {} : { response_format: toResponseFormat(outputSchema) };
  const merged = mergeParameters(parameters, own);
  return { ...form, ...merged, model, messages: call.messages, [wireFields]: own?.[wireFields] };
}

function toResponseFormat(schema: JsonObject): JsonObject {
  return { type: "json_schema", json_schema: { name: "reply", schema } };
}

/** An endpoint's own time-out bounds each wait of an attempt as well as the attempt as a whole. */
function boundsOf({ timeoutMs }: Endpoint, bounds: AttemptBounds): AttemptBounds {
  if (timeoutMs === null) return bounds;
  return {
    connectMs: Math.min(bounds.connectMs, timeoutMs),
    headersMs: timeoutMs,
    firstTokenMs: timeoutMs,
    idleMs: timeoutMs,
    totalMs: timeoutMs,
  };
}

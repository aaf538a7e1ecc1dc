import { LightAbort } from "@gatehouse/async";
import { type ChatRequest, contentOf, firstChoice, parseChatRequest } from "@gatehouse/dialects";
import { endOfAbort, type GatewayError, toGatewayError } from "@gatehouse/errors";
import { parseJsonBody } from "@gatehouse/http";
import { type TokenPrincipal, toUserName } from "@gatehouse/principal";
import type { CompleteRequest, CompleteResponse } from "@gatehouse/proto/chat-calls";
import type { Principal } from "@gatehouse/proto/principal";
import type { CallContext } from "@gatehouse/rpc";
import { resolveUsage } from "@gatehouse/spending";
import { currentTraceparent, inSpan, type Logger, type Span, type Tracing } from "@gatehouse/telemetry";
import type { CountTexts } from "@gatehouse/tokens";
import { type CallInput, logRefusal } from "../app/call.ts";
import { type Pipeline, type RunningCall, runPipeline } from "../app/pipeline.ts";

/** Reads the caller. Equal messages give the same object. */
type ReadPrincipal = (message: Principal) => TokenPrincipal;

interface CompleteOptions {
  readonly pipeline: Pipeline;
  readonly tracing: Tracing;
  readonly log: Logger;
  readonly countTexts: CountTexts;
  /** See `createPrincipalReader`. */
  readonly readPrincipal: ReadPrincipal;
}

/**
 * Runs the pipeline for a call of another service, and answers with the whole reply. Cancellation aborts the provider call, whose
 * usage is billed.
 * @throws GatewayError of the step that refused the call, as the chat routes send it
 */
export async function handleComplete(
  options: CompleteOptions,
  request: CompleteRequest,
  { signal }: Pick<CallContext, "signal">,
): Promise<CompleteResponse> {
  const span = options.tracing.start("chat", {
    kind: "internal",
    // Context of the gRPC call's span; absent in one process.
    parent: currentTraceparent() ?? request.traceparent,
    attributes: { "gatehouse.request_id": request.requestId },
  });
  return await inSpan(span, async () => await complete(options, request, { signal, span }));
}

async function complete(
  { pipeline, log, readPrincipal, countTexts }: CompleteOptions,
  request: CompleteRequest,
  { signal, span }: Pick<CallContext, "signal"> & { readonly span: Span },
): Promise<CompleteResponse> {
  const { requestId } = request;
  const abort = new LightAbort();
  const onAbort = () => abort.abort();
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    const principal = readPrincipal(requirePrincipal(request));
    const result = await runPipeline(
      pipeline,
      toCallInput(request, principal, {
        span,
        abort,
        countTexts,
        endedBy: () => sentInstead(signal),
      }),
    );
    if (result.kind === "refused") throw result.error;
    const reply = await finishCall(result.running, abort);
    span.end();
    return reply;
  } catch (err) {
    const failure = toGatewayError(err);
    logRefusal(log, failure, requestId);
    span.end(failure.profile.http >= 500 ? failure : undefined);
    throw failure;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function toCallInput(
  request: CompleteRequest,
  principal: TokenPrincipal,
  parts: Pick<CallInput, "span" | "abort" | "countTexts" | "endedBy">,
): CallInput {
  return {
    surface: "mcp.bridge",
    requestId: request.requestId,
    principal,
    ipAddress: request.ipAddress,
    user: toUserName(request.user),
    ...parts,
    read: async () => await readRequest(request),
  };
}

/** Error that the caller of the bridge got; undefined where it has left. */
function sentInstead(signal: AbortSignal): GatewayError | undefined {
  const end = endOfAbort(signal);
  return end?.code === "cancelled" ? undefined : end;
}

function requirePrincipal({ principal }: CompleteRequest) {
  if (principal === undefined) throw new Error("A call came without a principal.");
  return principal;
}

/** Ignores a wish for a stream: this surface sends whole replies. */
async function readRequest({ slug, bodyJson }: CompleteRequest): Promise<ChatRequest> {
  const { value } = await parseJsonBody(bodyJson);
  return { ...parseChatRequest(value, slug), bodyBytes: bodyJson.length, stream: false };
}

async function finishCall({ call, finish }: RunningCall, abort: LightAbort): Promise<CompleteResponse> {
  const { reply } = call;
  if (reply.kind !== "complete") throw new Error(`The pipeline has answered with a ${reply.kind}.`);
  const { completion } = reply;
  const usage = await resolveUsage(call);
  const failure = await finish({ kind: abort.aborted ? "abandoned" : "answered" });
  if (failure !== undefined) throw failure;
  return {
    id: completion.id,
    model: completion.model,
    content: contentOf(completion),
    finishReason: firstChoice(completion.choices)?.finish_reason ?? "",
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
  };
}

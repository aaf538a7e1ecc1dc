import { userOf } from "@gatehouse/dialects";
import { clientGone } from "@gatehouse/errors";
import { setAnswerAttributes } from "@gatehouse/failover";
import type { GatewayLog, GatewayLogEntry, LogDetails } from "@gatehouse/gateway-log";
import { toTokenUse } from "@gatehouse/providers";
import type { Received, Outcome, Surface } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Destination and clock of the log step. Appending is synchronous, so that no call waits for the log. */
export interface LogStepOptions {
  readonly gatewayLog: Pick<GatewayLog, "append">;
  /** Epoch milliseconds. */
  readonly wallNow: () => number;
}

/** Route id in the router's table, or the MCP tool call. */
const routes: Readonly<Record<Surface, string>> = {
  "chat.direct": "chat_direct",
  "chat.dispatcher": "chat_dispatcher",
  "wrapper.chat": "wrapper_chat",
  "wrapper.completions": "wrapper_completions",
  "wrapper.embeddings": "wrapper_embeddings",
  "mcp.bridge": "mcp_bridge",
};

/** Status of an answer, and of a stream that broke off. */
const sentStatus = 200;

/** Characters of a tool name, given by the caller, in an entry. */
const toolNameLengthMax = 100;

/**
 * Writes one entry of the gateway log for every call when it has ended, whatever its result. First step, and so left last, when
 * the cost is known.
 */
export function createLogStep({ gatewayLog, wallNow }: LogStepOptions): Step {
  return {
    name: "log",
    enter(call) {
      call.startedAtMs = wallNow();
      return undefined;
    },
    leave(call, outcome) {
      setAnswerAttributes(call);
      gatewayLog.append(toEntry(call, outcome, wallNow()));
    },
  };
}

function toEntry(call: Received, outcome: Outcome, nowMs: number): GatewayLogEntry {
  const asked = (call.answeredBy ?? call.askedLast)?.target;
  const isBilled = call.cost !== undefined;
  const result = resultOf(call, outcome);
  return {
    atMs: call.startedAtMs,
    requestId: call.requestId,
    traceId: call.span.traceId,
    projectUuid: call.principal.project.uuid,
    endpointUuid: call.compiled?.endpoint.uuid,
    tokenId: call.principal.tokenId,
    user: userOf(call.user, call.request),
    route: routes[call.surface],
    status: statusOf(call, result),
    error: errorOf(call, result),
    errorCode: result.kind === "failed" ? result.error.code : undefined,
    durationMs: nowMs - call.startedAtMs,
    provider: asked?.provider,
    model: asked?.model,
    attempts: call.attempts,
    promptTokens: isBilled ? call.usage?.prompt_tokens : undefined,
    completionTokens: isBilled ? call.usage?.completion_tokens : undefined,
    costMicros: call.cost?.costMicros,
    details: detailsOf(call, outcome),
  };
}

/** A result that was sent, or would have been to a caller that has left. */
type Result = Exclude<Outcome, { readonly kind: "abandoned" }>;

/** An error with which the gateway has ended the reply was sent instead of the outcome. */
function resultOf({ endedBy }: Received, outcome: Outcome): Result {
  if (outcome.kind === "answered") return outcome;
  const end = endedBy?.() ?? (outcome.kind === "abandoned" ? clientGone() : outcome.error);
  return { kind: "failed", error: end };
}

/** 200 where it was sent before a stream broke off; JSON-RPC sends errors with 200, except those that end the whole request. */
function statusOf({ isStreamed, surface, endedBy }: Received, result: Result): number {
  if (result.kind === "answered") return sentStatus;
  const { code, profile } = result.error;
  if (code === "cancelled") return profile.http;
  const isSentUnder200 = isStreamed || (surface === "mcp.bridge" && endedBy?.() === undefined);
  return isSentUnder200 ? sentStatus : profile.http;
}

function errorOf({ surface, request }: Received, outcome: Result): string | undefined {
  if (outcome.kind === "answered") return undefined;
  const { code, loggedMessage } = outcome.error;
  // Replaces the MCP client's message for an unknown tool.
  if (surface !== "mcp.bridge" || code !== "endpoint_not_found") return loggedMessage;
  return `Unknown tool: ${request?.slug.slice(0, toolNameLengthMax) ?? ""}`;
}

function detailsOf(call: Received, outcome: Outcome): LogDetails | undefined {
  const { cost, failures } = call;
  const details: Record<string, string | number | boolean> = {};
  if (call.surface === "mcp.bridge" && outcome.kind === "failed") details["code"] = outcome.error.code;
  if (cost?.priceUnknown === true) details["price_unknown"] = true;
  if (cost !== undefined && call.isUsageEstimated) details["usage_estimated"] = true;
  if (cost?.isPresumed === true) details["cost_presumed"] = true;
  const cachedTokens = cost === undefined || call.usage === undefined ? 0 : toTokenUse(call.usage).cachedTokens;
  if (cachedTokens > 0) details["cached_tokens"] = cachedTokens;
  if (call.chosenTarget !== undefined && call.attempts > 0) details["chosen_target"] = Number(call.chosenTarget);
  if (call.isStreamed) details["stream"] = true;
  if (failures.length > 0) {
    if (call.prefill !== undefined) details["continued"] = true;
    details["failed_attempts"] = failures.map(({ provider, code }) => `${provider}:${code}`).join(", ");
    details["failed_attempts_ms"] = failures.map(({ durationMs }) => Math.round(durationMs)).join(", ");
  }
  if (call.slowSteps.length > 0) details["steps_ms"] = stepTimes(call);
  if (call.refusedBy !== undefined) details["refused_by"] = call.refusedBy;
  return Object.keys(details).length === 0 ? undefined : details;
}

/** Formats durations as `guardrails 3, provider 812`. */
function stepTimes({ slowSteps }: Received): string {
  return slowSteps.map(({ name, durationMs }) => `${name} ${Math.round(durationMs)}`).join(", ");
}

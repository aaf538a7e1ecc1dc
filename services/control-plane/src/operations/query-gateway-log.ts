import { type JsonObject, isJsonObject } from "@gatehouse/json-rpc";
import type { GatewayLogEntry } from "@gatehouse/proto/logbook";
import { toTimestamp } from "../clients/parse-reply.ts";
import { type Argument, argument, invalid, optional, text } from "../domain/arguments.ts";
import { toDollars } from "../domain/money.ts";
import { askAbout, encodeLogPage, logArguments, toRange } from "./log-arguments.ts";
import { defineOperation } from "./operation.ts";

const requestIdLengthMax = 200;

const status: Argument<string> = argument(
  { type: ["string", "integer"], description: 'A status code such as 404, or a class such as "4xx".' },
  (value, field) => {
    const given = typeof value === "number" ? String(value) : value;
    if (typeof given === "string" && /^[1-5](\d\d|xx)$/i.test(given)) return given.toLowerCase();
    throw invalid(field, 'must be a status code such as 404, or a class such as "4xx"');
  },
);

export const queryGatewayLog = defineOperation({
  name: "svc_query_gateway_log",
  description: "Requests and what became of them, newest first. No prompt and no answer is in it.",
  arguments: {
    ...logArguments,
    status: optional(status),
    request_id: optional(text({ description: "The X-Request-Id of a request.", lengthMax: requestIdLengthMax })),
  },
  async run(args, { logbook, projects }) {
    const { entries, nextCursor } = await askAbout(args.project, projects, async (projectUuid) => {
      const filter = { projectUuid, status: args.status ?? "", requestId: args.request_id ?? "" };
      return await logbook.queryGatewayLog({ ...filter, range: toRange(args) });
    });
    return encodeLogPage(entries.map(encodeEntry), nextCursor);
  },
});

/** An entry as the contract shows it (decisions: "Shapes"), and its details. */
function encodeEntry(entry: GatewayLogEntry): JsonObject {
  return {
    id: entry.id,
    at: toTimestamp(entry.at),
    request_id: entry.requestId,
    trace_id: entry.traceId ?? null,
    project: entry.project ?? null,
    endpoint: entry.endpoint ?? null,
    token_id: entry.tokenId ?? null,
    route: entry.route,
    status: entry.status,
    error: entry.error ?? null,
    duration_ms: entry.durationMs,
    provider: entry.provider ?? null,
    model: entry.model ?? null,
    attempts: entry.attempts,
    prompt_tokens: entry.promptTokens ?? null,
    completion_tokens: entry.completionTokens ?? null,
    cost_usd: entry.costMicros === undefined ? null : toDollars(entry.costMicros),
    details: parseObject(entry.detailsJson),
  };
}

function parseObject(text: string): JsonObject {
  const value: unknown = text === "" ? {} : JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

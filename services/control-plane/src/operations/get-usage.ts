import type { JsonObject } from "@gatehouse/json-rpc";
import type { EndpointUsage } from "@gatehouse/proto/chat";
import { optional, text } from "../domain/arguments.ts";
import { toDollars } from "../domain/money.ts";
import { defineOperation } from "./operation.ts";
import { endpoint, project } from "./shared-arguments.ts";

const month = text({ description: "YYYY-MM, UTC; the current month when absent.", lengthMax: 7 });

export const getUsage = defineOperation({
  name: "svc_get_usage",
  description: "Requests, tokens and cost of each endpoint in one month, and in total.",
  arguments: { project: optional(project), endpoint: optional(endpoint), month: optional(month) },
  async run(args, { chat, projects, endpoints }) {
    // An unknown project or endpoint is an error, not an empty answer.
    if (args.project !== undefined) await projects.get(args.project);
    if (args.endpoint !== undefined) {
      await endpoints.ofEndpoint(args.endpoint, async (owner, uuid) => await owner.get(uuid));
    }
    const usage = await chat.getUsage({
      projectUuid: args.project ?? "",
      endpointUuid: args.endpoint ?? "",
      month: args.month ?? "",
    });
    const rows = usage.endpoints.map((row) => ({ endpoint: row.endpointUuid, slug: row.slug, ...encodeUsage(row) }));
    return { month: usage.month, endpoints: rows, total: encodeUsage(sumOf(usage.endpoints)) };
  },
});

type Counts = Pick<EndpointUsage, "requests" | "promptTokens" | "completionTokens" | "costMicros">;

function encodeUsage({ requests, promptTokens, completionTokens, costMicros }: Counts): JsonObject {
  return {
    requests,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    cost_usd: toDollars(costMicros),
  };
}

function sumOf(rows: readonly Counts[]): Counts {
  const sum = (field: keyof Counts) => rows.reduce((total, row) => total + row[field], 0);
  return {
    requests: sum("requests"),
    promptTokens: sum("promptTokens"),
    completionTokens: sum("completionTokens"),
    costMicros: sum("costMicros"),
  };
}

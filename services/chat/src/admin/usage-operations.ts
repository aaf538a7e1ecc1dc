import {
  array,
  boolean,
  defineOperation,
  matching,
  nullable,
  number,
  object,
  oneOf,
  optional,
  project,
  readProject,
  string,
} from "@gatehouse/admin";
import { monthPattern, type UserUsage } from "@gatehouse/limits";
import { toDollars } from "@gatehouse/money";
import { slugsOf } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";
import { endpointKey, findNamedEndpoint, ofEndpoint } from "./endpoint-operations.ts";

const month = matching({
  description: "YYYY-MM, UTC; the current month when absent.",
  lengthMax: 7,
  pattern: monthPattern,
  problem: "must have the form YYYY-MM",
});

const groupings = ["endpoint", "user"] as const;

const counts = { requests: number(), prompt_tokens: number(), completion_tokens: number(), cost_usd: number() };

const getUsage = defineOperation({
  name: "svc_get_usage",
  description:
    "Shows requests, tokens and cost of one month for each endpoint that calls models, in total and, if asked, by user. " +
    "The slug of an endpoint that was deleted is null.",
  access: readProject,
  ...ofEndpoint,
  input: object({
    project: optional(project),
    endpoint: optional(endpointKey.schema),
    month: optional(month),
    group_by: optional(oneOf('"user" adds what each user has cost, the most expensive first.', groupings)),
  }),
  output: object({
    month: string(),
    endpoints: array(object({ endpoint: string(), slug: nullable(string()), ...counts })),
    users: optional(array(object({ user: nullable(string()), is_other: boolean(), ...counts }))),
    total: object(counts),
  }),
  async run({ input }, { store, allowances }: AdminContext) {
    const { project: projectUuid, month: asked, group_by: groupBy } = input;
    const query = { projectUuid, endpointUuid: await findNamedEndpoint(store, input), month: asked };
    const usage = await allowances.getUsage(query);
    const slugs = await slugsOf(store, usage.endpoints.map((row) => row.endpointUuid)); // prettier-ignore
    const endpoints = usage.endpoints.map((row) => ({
      endpoint: row.endpointUuid,
      // Null: the endpoint was deleted, and its slug may be another one's.
      slug: slugs.get(row.endpointUuid) ?? null,
      ...encodeCounts(row),
    }));
    const total = encodeCounts(sumOf(usage.endpoints));
    if (groupBy !== "user") return { month: usage.month, endpoints, total };
    const { users } = await allowances.getUserUsage({ ...query, month: usage.month });
    return { month: usage.month, endpoints, users: users.map(encodeUser), total };
  },
});

/** Operations that report one calendar month (UTC) from the ledger of budgets; costs in US dollars. */
export const usageOperations = [getUsage] as const;

type Counts = Omit<UserUsage, "user">;

function encodeUser(row: UserUsage) {
  return { user: row.user, is_other: row.user === null, ...encodeCounts(row) };
}

function encodeCounts({ requests, promptTokens, completionTokens, costMicros }: Counts) {
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

import { defineResource, id, nullable, number, record, reference, shown, unknown } from "@gatehouse/admin";
import { toDollars } from "@gatehouse/money";
import type { LoggedRequest } from "../store/gateway-log-reader.ts";

const dollarsMax = Number.MAX_SAFE_INTEGER;

/** One request and its outcome. */
export const gatewayLogEntry = defineResource({
  id: shown(id("The entry's id."), { show: ({ id: rowId }: LoggedRequest) => Number(rowId) }),
  at: shown(reference("When the request came.")),
  request_id: shown(reference("As in the X-Request-Id header.")),
  trace_id: shown(nullable(reference("The trace, where there is one."))),
  project: shown(nullable(reference("The project's uuid; null where the caller was not known.")), {
    column: "projectUuid",
  }),
  endpoint: shown(nullable(reference("The endpoint's uuid, where one was found.")), { column: "endpointUuid" }),
  token_id: shown(nullable(id("The access token's id."))),
  user: shown(nullable(reference("The person behind the call, as the application names them."))),
  route: shown(reference("The kind of route.")),
  status: shown(id("The HTTP status of the reply.")),
  error: shown(nullable(reference("The refusal or failure."))),
  duration_ms: shown(id("How long it took.")),
  provider: shown(nullable(reference("The provider that was called last."))),
  model: shown(nullable(reference("The model that was called last."))),
  attempts: shown(id("Calls of providers.")),
  prompt_tokens: shown(nullable(id("Tokens of the prompt."))),
  completion_tokens: shown(nullable(id("Tokens of the answer."))),
  cost_usd: shown(nullable(number({ description: "What it cost.", min: 0, max: dollarsMax })), {
    show: ({ costMicros }: LoggedRequest) => (costMicros === null ? null : toDollars(Number(costMicros))),
  }),
  details: shown(reference("An object of what only some routes have, such as price_unknown."), {
    show: ({ details }: LoggedRequest) => JSON.parse(details ?? "{}") as unknown,
    shownAs: record(unknown()),
  }),
});

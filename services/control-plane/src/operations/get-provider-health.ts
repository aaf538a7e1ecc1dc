import type { JsonObject } from "@gatehouse/json-rpc";
import type { ProviderHealth } from "@gatehouse/proto/chat";
import { toTimestamp } from "../clients/parse-reply.ts";
import { defineOperation } from "./operation.ts";

export const getProviderHealth = defineOperation({
  name: "svc_get_provider_health",
  description:
    "How each model provider has answered lately, with the credential in use: its circuit breaker (closed, half_open or " +
    "open), failures in a row, the last failure, and until when it is left alone. As the answering replica has seen it.",
  arguments: {},
  async run(_args, { chat }) {
    const { providers } = await chat.getProviderHealth({});
    return { providers: providers.map(encodeHealth) };
  },
});

function encodeHealth(health: ProviderHealth): JsonObject {
  return {
    provider: health.provider,
    enabled: health.enabled,
    credential_id: health.credentialId ?? null,
    credential: health.credentialName ?? null,
    state: health.state,
    consecutive_failures: health.consecutiveFailures,
    last_failure: health.lastFailure ?? null,
    last_failure_at: toTimestamp(health.lastFailureAt),
    open_until: toTimestamp(health.openUntil),
    resting_until: toTimestamp(health.restingUntil),
  };
}

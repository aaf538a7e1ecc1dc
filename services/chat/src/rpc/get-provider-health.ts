import type {
  GetProviderHealthRequest,
  GetProviderHealthResponse,
  ProviderHealth as ProviderHealthMessage,
} from "@gatehouse/proto/chat";
import type { HealthReport } from "../domain/health/provider-health.ts";
import { type CredentialInUse, listCredentialsInUse } from "../store/credentials-in-use.ts";
import type { AdminContext } from "./admin-context.ts";

/** Every provider with the credential in use, and what this replica's own calls have shown of it. */
export async function handleGetProviderHealth(
  { store, health, now }: AdminContext,
  _request: GetProviderHealthRequest,
): Promise<GetProviderHealthResponse> {
  const inUse = await listCredentialsInUse(store);
  const reports = new Map(health.reports().map((report) => [report.provider, report]));
  // The reports' times are of a clock that does not follow the system's.
  const toDate = (at: number) => new Date(Date.now() + at - now());
  return { providers: inUse.map((item) => toMessage(item, reports.get(item.provider), toDate)) };
}

function toMessage(
  { provider, enabled, credential }: CredentialInUse,
  found: HealthReport | undefined,
  toDate: (at: number) => Date,
): ProviderHealthMessage {
  const named = credential === undefined ? {} : { credentialId: credential.id, credentialName: credential.name };
  const isOfThis = found?.credentialUuid === credential?.uuid;
  if (found === undefined || !isOfThis) return { provider, enabled, ...named, state: "closed", consecutiveFailures: 0 };
  const { state, consecutiveFailures, lastFailure, openUntil, restingUntil } = found;
  return {
    provider,
    enabled,
    ...named,
    state,
    consecutiveFailures,
    ...(lastFailure === undefined ? {} : { lastFailure: lastFailure.code, lastFailureAt: toDate(lastFailure.at) }),
    ...(openUntil === undefined ? {} : { openUntil: toDate(openUntil) }),
    ...(restingUntil === undefined ? {} : { restingUntil: toDate(restingUntil) }),
  };
}

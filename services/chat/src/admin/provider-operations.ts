import { defineOperation, flag, page, record, toPageRequest } from "@gatehouse/admin";
import { floorProblem } from "@gatehouse/egress";
import type { HealthReport, HealthState } from "@gatehouse/providers";
import { checkProvider, type ProviderDefinition } from "../domain/provider-rules.ts";
import { type CredentialInUse, listCredentialsInUse } from "../store/credentials-in-use.ts";
import {
  createProvider,
  deleteProvider,
  listProviders,
  setProviderEnabled,
  updateProvider,
} from "../store/providers.ts";
import { type AdminContext, administerGateway, readGateway, writing } from "./admin-context.ts";
import { provider, providerReference } from "./provider.ts";

const create = defineOperation({
  name: "svc_create_provider",
  description: "Registers a model provider under a name that targets refer to.",
  access: administerGateway,
  input: record(provider.createInput),
  async run({ input, origin }, context: AdminContext) {
    const { name, kind, base_url: baseUrl = null } = input;
    const definition = { name, kind, baseUrl };
    checkProvider(definition, floorProblem);
    return provider.encode(await createProvider(writing(context, origin), definition));
  },
});

const list = defineOperation({
  name: "svc_list_providers",
  description: "Lists the model providers, oldest first.",
  access: readGateway,
  input: record(page),
  async run({ input }, { store }: AdminContext) {
    const { items, nextCursor } = await listProviders(store, toPageRequest(input));
    return { providers: items.map(provider.encode), next_cursor: nextCursor ?? null };
  },
});

const update = defineOperation({
  name: "svc_update_provider",
  description: "Changes where a provider answers, or which interface it speaks; what is absent stays. Its name stays.",
  access: administerGateway,
  input: record({ provider: providerReference, ...provider.updateInput }),
  async run({ input, origin }, context: AdminContext) {
    const { provider: named, ...changes } = input;
    const changed = await updateProvider(writing(context, origin), String(named), (present) => {
      const definition: ProviderDefinition = { ...present, ...provider.toColumns(changes) };
      checkProvider(definition, floorProblem);
      return { definition, changed: provider.changedFields(present, changes) };
    });
    return provider.encode(changed);
  },
});

const setEnabled = defineOperation({
  name: "svc_set_provider_enabled",
  description: "Switches a provider on or off for the whole gateway. Targets of a disabled provider are skipped.",
  access: administerGateway,
  input: record({ provider: providerReference, enabled: flag("Whether calls may go to it.") }),
  async run({ input, origin }, context: AdminContext) {
    const change = { provider: String(input.provider), enabled: input.enabled };
    return provider.encode(await setProviderEnabled(writing(context, origin), change));
  },
});

const remove = defineOperation({
  name: "svc_delete_provider",
  description: "Deletes a provider with its credentials, once no endpoint's targets name it.",
  access: administerGateway,
  input: record({ provider: providerReference }),
  async run({ input, origin }, context: AdminContext) {
    return {
      ...provider.encode(await deleteProvider(writing(context, origin), String(input.provider))),
      deleted: true,
    };
  },
});

const getHealth = defineOperation({
  name: "svc_get_provider_health",
  description:
    "How each model provider has answered lately, with the credential in use: its circuit breaker (closed, half_open or " +
    "open), failures in a row, the last failure, and until when it is left alone; `models` has the same for each model that " +
    "was asked, of which the provider shows the worst. As the answering replica has seen it.",
  access: readGateway,
  input: record({}),
  async run(_call, { store, health, now }: AdminContext) {
    const inUse = await listCredentialsInUse(store);
    const reports = new Map(health.reports().map((report) => [report.provider, report]));
    // The reports' times are of a clock that does not follow the system's.
    const toTime = (at: number | undefined) =>
      at === undefined ? null : new Date(Date.now() + at - now()).toISOString();
    return { providers: inUse.map((item) => encodeHealth(item, reports.get(item.provider), toTime)) };
  },
});

function encodeHealth(
  { provider: name, enabled, credential }: CredentialInUse,
  report: HealthReport | undefined,
  toTime: (at: number | undefined) => string | null,
) {
  const found = report?.credentialUuid === credential?.uuid ? report : undefined;
  return {
    provider: name,
    enabled,
    credential_id: credential?.id ?? null,
    credential: credential?.name ?? null,
    ...encodeState(found ?? nothingKnown, toTime),
    models: (found?.models ?? []).map(({ model, ...state }) => ({ model, ...encodeState(state, toTime) })),
  };
}

const nothingKnown: HealthState = {
  state: "closed",
  consecutiveFailures: 0,
  lastFailure: undefined,
  openUntil: undefined,
  restingUntil: undefined,
};

function encodeState(state: HealthState, toTime: (at: number | undefined) => string | null) {
  return {
    state: state.state,
    consecutive_failures: state.consecutiveFailures,
    last_failure: state.lastFailure?.code ?? null,
    last_failure_at: toTime(state.lastFailure?.at),
    open_until: toTime(state.openUntil),
    resting_until: toTime(state.restingUntil),
  };
}

export const providerOperations = [create, list, update, setEnabled, remove, getHealth] as const;

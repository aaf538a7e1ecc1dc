import {
  administerGateway,
  array,
  boolean,
  defineCollection,
  defineOperation,
  nullable,
  number,
  object,
  readGateway,
  string,
} from "@gatehouse/admin";
import { floorProblem } from "@gatehouse/egress";
import { type HealthReport, type HealthState, loadPriceBook } from "@gatehouse/providers";
import { endpointBounds } from "../domain/endpoint-bounds.ts";
import { checkProvider, type ProviderDefinition } from "../domain/provider-rules.ts";
import {
  createProvider,
  type CredentialInUse,
  deleteProvider,
  listCredentialsInUse,
  listProviders,
  type Provider,
  requireFreeName,
  requireProvider,
  setProviderEnabled,
  updateProvider,
} from "../store/providers.ts";
import { type AdminContext, writing } from "./admin-context.ts";
import { provider, providerReference } from "./provider.ts";

const providers = defineCollection({
  list: "providers",
  key: { argument: "provider", schema: providerReference, read: String },
  shape: provider.shape,
  show: (row: object, _context: AdminContext) => provider.encode(row),
});

const create = defineOperation({
  name: "svc_create_provider",
  description: "Registers a model provider under a name that targets refer to.",
  access: administerGateway,
  takesIdempotencyKey: true,
  input: object(provider.createInput),
  output: provider.shape,
  async prepare({ input: { name, kind, base_url: baseUrl = null } }, { store }: AdminContext) {
    const definition = { name, kind, baseUrl };
    checkProvider(definition, floorProblem);
    await requireFreeName(store, name);
    return definition;
  },
  run: async ({ initiator, prepared: definition }, context) =>
    provider.encode(await createProvider(writing(context, initiator), definition)),
});

const list = providers.list({
  name: "svc_list_providers",
  description: "Lists the model providers, oldest first.",
  access: readGateway,
  find: async (_call, page, { store }: AdminContext) => await listProviders(store, page),
});

const update = providers.one({
  name: "svc_update_provider",
  description: "Changes a provider's address or kind; absent arguments change nothing. Its name cannot be changed.",
  access: administerGateway,
  input: provider.updateInput,
  async prepare(named, { input: changes }, { store }: AdminContext) {
    change(await store.read(async (client) => await requireProvider(client, named)), changes);
  },
  run: async (named, { input: changes, initiator }, context) =>
    await updateProvider(writing(context, initiator), named, (present) => change(present, changes)),
});

/** @throws GatewayError `invalid_argument` */
function change(present: Provider, changes: object) {
  const definition: ProviderDefinition = { ...present, ...provider.toColumns(changes) };
  checkProvider(definition, floorProblem);
  return { definition, changed: provider.changedFields(present, changes) };
}

const setEnabled = providers.one({
  name: "svc_set_provider_enabled",
  description: "Switches a provider on or off for the whole gateway. Targets of a disabled provider are skipped.",
  access: administerGateway,
  input: { enabled: boolean("Whether calls may go to it.") },
  run: async (named, { input, initiator }, context: AdminContext) =>
    await setProviderEnabled(writing(context, initiator), { provider: named, enabled: input.enabled }),
});

const remove = providers.remove({
  name: "svc_delete_provider",
  description: "Deletes a provider with its credentials, once no endpoint's targets name it.",
  access: administerGateway,
  run: async (named, { initiator }, context: AdminContext) => await deleteProvider(writing(context, initiator), named),
});

const healthState = {
  state: string(),
  consecutive_failures: number(),
  last_failure: nullable(string()),
  last_failure_at: nullable(string()),
  last_success_at: nullable(string()),
  open_until: nullable(string()),
  resting_until: nullable(string()),
};

const providerHealth = object({
  provider: string(),
  enabled: boolean(),
  credential_id: nullable(number()),
  credential: nullable(string()),
  ...healthState,
  models: array(object({ model: string(), ...healthState })),
});

const getHealth = defineOperation({
  name: "svc_get_provider_health",
  description:
    "Shows the health of each model provider with the credential in use, as known to the replica that answers: circuit breaker " +
    "(closed, half_open or open), consecutive failures, the last failure and the last success, and the end of an open period. " +
    "`models` has the same for each called model; the provider shows the worst.",
  access: readGateway,
  input: object({}),
  output: object({ providers: array(providerHealth) }),
  async run(_call, { store, health, now }: AdminContext) {
    const inUse = await listCredentialsInUse(store);
    const reports = new Map(health.reports().map((report) => [report.provider, report]));
    // Converts times of the health's monotonic clock to wall-clock time.
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
    ...encodeState(found, toTime),
    models: (found?.models ?? []).map(({ model, ...state }) => ({ model, ...encodeState(state, toTime) })),
  };
}

/** A provider without calls counts as healthy. */
function encodeState(state: HealthState | undefined, toTime: (at: number | undefined) => string | null) {
  return {
    state: state?.state ?? "closed",
    consecutive_failures: state?.consecutiveFailures ?? 0,
    last_failure: state?.lastFailure?.code ?? null,
    last_failure_at: toTime(state?.lastFailure?.at),
    last_success_at: toTime(state?.lastSuccessAt),
    open_until: toTime(state?.openUntil),
    resting_until: toTime(state?.restingUntil),
  };
}

/** Tokens from which a price per million is computed; below the thresholds of prices for long prompts. */
const pricedTokens = 10_000;
/** Nothing is read from a cache or written to one, and nothing is reasoning. */
const plain = { cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

const getModelPrice = providers.about({
  name: "svc_get_model_price",
  description:
    "Shows a provider's model before it becomes a target: US dollars per million tokens of prompts and of answers " +
    `(as calls of ${pricedTokens} tokens are billed now), context and longest answer in tokens; null for an unknown value. ` +
    "Calls of a model without a price cost nothing in budgets, unless the target has prices.",
  access: readGateway,
  input: {
    model: string({ description: "The provider's name of the model.", lengthMax: endpointBounds.modelLengthMax }),
  },
  output: object({
    provider: string(),
    model: string(),
    input_price_per_million: nullable(number()),
    output_price_per_million: nullable(number()),
    context_tokens: nullable(number()),
    answer_tokens_max: nullable(number()),
  }),
  async run(named, { input: { model } }, { store }: AdminContext) {
    const { name, kind, baseUrl } = await store.read(async (client) => await requireProvider(client, named));
    const priced = { kind, baseUrl: baseUrl ?? undefined, model };
    const prices = await loadPriceBook();
    const perMillion = (promptTokens: number, completionTokens: number) => {
      const price = prices.price(priced, { ...plain, promptTokens, completionTokens }, Date.now());
      return price.priceUnknown ? null : price.costMicros / pricedTokens;
    };
    return {
      provider: name,
      model,
      input_price_per_million: perMillion(pricedTokens, 0),
      output_price_per_million: perMillion(0, pricedTokens),
      context_tokens: prices.contextTokens(priced) ?? null,
      answer_tokens_max: prices.answerTokensMax(priced) ?? null,
    };
  },
});

/** Operations on providers of the whole gateway. `svc_get_provider_health` reports the answering replica alone. */
export const providerOperations = [create, list, update, setEnabled, remove, getHealth, getModelPrice] as const;

import type { HttpClient } from "@gatehouse/http-client";
import type { Logger } from "@gatehouse/telemetry";
import type { CountTexts } from "@gatehouse/tokens";
import { createAiSdkAdapter } from "./ai-sdk/create-adapter.ts";
import { providerModel as anthropic } from "./anthropic/provider-model.ts";
import { azureApi } from "./azure-openai/azure-api.ts";
import { providerModel as bedrock } from "./bedrock/provider-model.ts";
import { createProviderClient } from "./exchange/provider-client.ts";
import { providerModel as google } from "./google/provider-model.ts";
import { providerModel as mistral } from "./mistral/provider-model.ts";
import { createMockAdapter } from "./mock/create-adapter.ts";
import { createOpenAiAdapter } from "./openai/create-adapter.ts";
import { openAiApi } from "./openai/openai-api.ts";
import type { ProviderAdapter, ProviderKind } from "./provider.ts";

/** Longest time for calls in flight when the adapters are closed, ms. */
const drainMsMax = 5_000;

interface ProviderAdaptersOptions {
  readonly log: Logger;
  /** Counts tokens for the mock provider. */
  readonly countTexts: CountTexts;
  /** `User-Agent` header sent to providers; `Gatehouse` where absent. */
  readonly userAgent?: string;
  /** Milliseconds since the epoch. */
  readonly wallNow?: () => number;
}

/** Adapters by kind, with the connections that they share. */
export interface ProviderAdapters {
  readonly adapterFor: (kind: ProviderKind) => ProviderAdapter;
  /** Ends idle connections at once and gives calls in flight 5 s to end. */
  readonly close: () => Promise<void>;
}

/** One adapter for each kind of provider, on one set of connections. */
export function createProviderAdapters(options: ProviderAdaptersOptions): ProviderAdapters {
  const { userAgent = "Gatehouse", wallNow = Date.now } = options;
  const client = createProviderClient();
  const connection = { dispatcher: client, log: options.log, userAgent, wallNow };
  const openai = createOpenAiAdapter(connection, openAiApi);
  const adapters: Readonly<Record<ProviderKind, ProviderAdapter>> = {
    openai,
    "openai-compatible": openai,
    anthropic: createAiSdkAdapter(connection, anthropic),
    google: createAiSdkAdapter(connection, google),
    mistral: createAiSdkAdapter(connection, mistral),
    "azure-openai": createOpenAiAdapter(connection, azureApi),
    bedrock: createAiSdkAdapter(connection, bedrock),
    mock: createMockAdapter(wallNow, options.countTexts),
  };
  return {
    adapterFor: (kind) => adapters[kind],
    close: async () => await closeWithin(client, drainMsMax),
  };
}

async function closeWithin(client: HttpClient, drainMs: number): Promise<void> {
  const timer = setTimeout(() => void client.destroy(), drainMs);
  try {
    await client.close();
  } finally {
    clearTimeout(timer);
  }
}

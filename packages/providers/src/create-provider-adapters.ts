import type { Logger } from "@gatehouse/telemetry";
import type { CountTexts } from "@gatehouse/tokens";
import type { Dispatcher } from "undici";
import { createAiSdkAdapter } from "./ai-sdk/create-adapter.ts";
import { providerModel as anthropic } from "./anthropic/provider-model.ts";
import { providerModel as azureOpenAi } from "./azure-openai/provider-model.ts";
import { providerModel as bedrock } from "./bedrock/provider-model.ts";
import { createProviderDispatcher } from "./exchange/dispatcher.ts";
import { providerModel as google } from "./google/provider-model.ts";
import { providerModel as mistral } from "./mistral/provider-model.ts";
import { createMockAdapter } from "./mock/create-adapter.ts";
import { createOpenAiAdapter } from "./openai/create-adapter.ts";
import type { ProviderAdapter, ProviderKind } from "./provider.ts";

/** Longest time for calls in flight when the adapters are closed, ms. */
const drainMsMax = 5_000;

interface ProviderAdaptersOptions {
  readonly log: Logger;
  /** Counts tokens for the mock provider. */
  readonly countTexts: CountTexts;
  /** Dispatcher of all calls; the caller closes it. Where absent, the adapters open keep-alive pools. */
  readonly dispatcher?: Dispatcher;
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
  const dispatcher = options.dispatcher ?? createProviderDispatcher();
  const connection = { dispatcher, log: options.log, userAgent, wallNow };
  const openai = createOpenAiAdapter(connection);
  const adapters: Readonly<Record<ProviderKind, ProviderAdapter>> = {
    openai,
    "openai-compatible": openai,
    anthropic: createAiSdkAdapter(connection, anthropic),
    google: createAiSdkAdapter(connection, google),
    mistral: createAiSdkAdapter(connection, mistral),
    "azure-openai": createAiSdkAdapter(connection, azureOpenAi),
    bedrock: createAiSdkAdapter(connection, bedrock),
    mock: createMockAdapter(wallNow, options.countTexts),
  };
  return {
    adapterFor: (kind) => adapters[kind],
    close: async () => {
      if (options.dispatcher === undefined) await closeWithin(dispatcher, drainMsMax);
    },
  };
}

async function closeWithin(dispatcher: Dispatcher, drainMs: number): Promise<void> {
  const timer = setTimeout(() => void dispatcher.destroy(), drainMs);
  try {
    await dispatcher.close();
  } finally {
    clearTimeout(timer);
  }
}

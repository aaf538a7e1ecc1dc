import { openAiBody, postRequest } from "../call.ts";
import { startListener } from "../child-process.ts";
import type { Toolkit } from "../native.ts";
import type { StartedSystem } from "../subject.ts";

/** Outcomes of the calls that reached the provider. */
export interface ProviderStats {
  readonly requests: number;
  readonly streamsOpened: number;
  readonly streamsCompleted: number;
  /** Streams whose caller left. */
  readonly streamsAborted: number;
}

/** The mock provider; as a subject, a direct call. */
export interface MockProvider extends StartedSystem {
  readonly origin: string;
  stats(): Promise<ProviderStats>;
}

/** Starts the mock provider on a free port of the loopback. */
export async function startMockProvider(toolkit: Toolkit): Promise<MockProvider> {
  const { port, stop } = await startListener(toolkit.mockProvider);
  const origin = `http://127.0.0.1:${port}`;
  return {
    description: `mock provider (${toolkit.kind})`,
    origin,
    subject: { name: "direct", port, prepare: async (call) => postRequest("/v1/chat/completions", openAiBody(call)) },
    stats: async () => (await (await fetch(`${origin}/stats`)).json()) as ProviderStats,
    stop: () => stop(),
  };
}

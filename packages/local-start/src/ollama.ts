const ollamaUrl = "http://127.0.0.1:11434";
/** Wait for an Ollama on this machine; a running one answers at once. */
const askTimeoutMs = 500;

interface OllamaModel {
  readonly baseUrl: string;
  readonly model: string;
}

/** First model of an Ollama on its usual port; undefined where none answers or it has no model. */
export async function findOllamaModel(url: string = ollamaUrl): Promise<OllamaModel | undefined> {
  try {
    const reply = await fetch(`${url}/api/tags`, { signal: AbortSignal.timeout(askTimeoutMs) });
    const { models } = (await reply.json()) as { models?: readonly { readonly name?: unknown }[] };
    const name = models?.[0]?.name;
    return typeof name === "string" ? { baseUrl: `${url}/v1`, model: name } : undefined;
  } catch {
    return undefined;
  }
}

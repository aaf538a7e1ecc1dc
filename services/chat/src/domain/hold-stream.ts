import { type CompletionChunk, wireText } from "./completion.ts";
import { type CompletionStream, type ProviderAddress, ProviderError } from "./provider.ts";

/** Longest answer that is held, characters of its chunks. */
const heldCharactersMax = 32 * 1024 * 1024;

/**
 * Resolves with the stream when its last chunk is there, so that a break in its middle is a failure before its first byte, after
 * which the next target can be asked.
 * @throws ProviderError what the stream broke off with, or `malformed` for one that is too long to be held
 */
export async function holdStream(
  { batches }: CompletionStream,
  { provider }: Pick<ProviderAddress, "provider">,
): Promise<CompletionStream> {
  const held: (readonly CompletionChunk[])[] = [];
  let characters = 0;
  for await (const batch of batches) {
    held.push(batch);
    for (const chunk of batch) characters += (chunk[wireText] ?? JSON.stringify(chunk)).length;
    if (characters > heldCharactersMax)
      throw new ProviderError("malformed", `${provider} sent an answer that is too long`);
  }
  return { batches: replay(held) };
}

async function* replay(batches: readonly (readonly CompletionChunk[])[]): AsyncGenerator<readonly CompletionChunk[]> {
  yield* batches;
}

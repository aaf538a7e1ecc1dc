import type { InspectedText } from "@gatehouse/guardrail-client";
import type { CompletionChunk, CompletionStream } from "@gatehouse/providers";
import { HeldBatches, readWhole } from "./hold-stream.ts";
import { isNamePlace, joinName, placeKey, replaceDelta, type StreamPlace, toolNamesIn } from "./stream-texts.ts";

/** Judges the texts of a whole answer. Resolves with their replacements, or throws the error that ends the stream. */
export type JudgeTexts = (texts: readonly InspectedText[]) => Promise<readonly string[]>;

/**
 * Holds a stream until it is complete and its texts are judged, for guardrails and patterns that need whole texts. A replacement
 * is sent with the text's first chunk.
 * @throws ProviderError of the broken stream; the error of `judge`
 */
export async function judgeWholeStream(
  { batches }: CompletionStream,
  provider: string,
  judge: JudgeTexts,
): Promise<CompletionStream> {
  const whole = await readWhole(batches, provider);
  const texts = new Map<string, string>();
  await visit(whole, (place, piece) => {
    for (const [key, join] of readingsOf(place)) texts.set(key, join(texts.get(key) ?? "", piece));
    return piece;
  });
  const keys = [...texts.keys()];
  const tools = toolNamesOf(whole);
  const shown = await judge(
    [...texts].map(([key, text]) => {
      const tool = tools.get(key);
      return { role: "assistant", text, ...(tool !== undefined && { tool }) };
    }),
  );
  if ([...texts.values()].every((text, index) => text === shown[index])) return { batches: new HeldBatches([whole]) };
  const left = new Map(keys.map((key, index) => [key, shown[index] ?? ""]));
  const unchanged = new Set(keys.filter((key, index) => texts.get(key) === shown[index]));
  const replaced = await visit(whole, (place, piece) => {
    const changed = readingsOf(place)
      .map(([key]) => key)
      .find((key) => !unchanged.has(key));
    if (changed === undefined) return piece;
    const text = left.get(changed) ?? "";
    left.set(changed, "");
    return text;
  });
  return { batches: new HeldBatches([replaced]) };
}

type Join = (known: string, piece: string) => string;

const append: Join = (known, piece) => known + piece;

/** Keys under which the text of a place is joined. A name that comes twice is one name or a longer one, so both are judged. */
function readingsOf(place: StreamPlace): readonly (readonly [key: string, join: Join])[] {
  const key = placeKey(place);
  return isNamePlace(place)
    ? [
        [key, joinName],
        [`${key} joined`, append],
      ]
    : [[key, append]];
}

async function visit(
  chunks: readonly CompletionChunk[],
  see: (place: StreamPlace, text: string) => string,
): Promise<readonly CompletionChunk[]> {
  const seen: CompletionChunk[] = [];
  for (const chunk of chunks) {
    const choices = [];
    for (const choice of chunk.choices) {
      choices.push(await replaceDelta(choice, async (place, text) => await Promise.resolve(see(place, text))));
    }
    // A copy without the provider's wire text, which would be sent instead.
    seen.push(choices.length === 0 ? chunk : { ...chunk, choices });
  }
  return seen;
}

/** Names of the tools whose arguments the texts are, by the texts' keys. */
function toolNamesOf(chunks: readonly CompletionChunk[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { choices } of chunks) {
    for (const [place, name] of choices.flatMap((choice) => toolNamesIn(choice))) {
      const key = placeKey(place);
      names.set(key, joinName(names.get(key) ?? "", name));
    }
  }
  return names;
}

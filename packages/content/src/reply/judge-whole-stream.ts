import type { InspectedText } from "@gatehouse/guardrail-client";
import type { CompletionChunk, CompletionStream } from "@gatehouse/providers";
import { HeldBatches, readWhole } from "./hold-stream.ts";
import {
  comparePlaces,
  isNamePlace,
  joinName,
  placeKey,
  replaceDelta,
  type StreamPlace,
  toolNamesIn,
} from "./stream-texts.ts";

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
  const asked = await textsOf(whole);
  const shown = await judge(
    asked.map(({ text, tool }) => ({ role: "assistant", text, ...(tool !== undefined && { tool }) })),
  );
  const changed = asked.flatMap(({ key, text }, index) =>
    text === shown[index] ? [] : [[key, shown[index] ?? ""] as const],
  );
  if (changed.length === 0) return { batches: new HeldBatches([whole]) };
  const left = new Map(changed);
  const replaced = await visit(whole, (place, piece) => {
    const key = readingsOf(place)
      .map(([reading]) => reading)
      .find((reading) => left.has(reading));
    if (key === undefined) return piece;
    const text = left.get(key) ?? "";
    left.set(key, "");
    return text;
  });
  return { batches: new HeldBatches([replaced]) };
}

/** A text of a stream, joined from its pieces. */
interface StreamText {
  readonly key: string;
  readonly place: StreamPlace;
  readonly text: string;
  /** Tool whose arguments it is. */
  readonly tool?: string | undefined;
}

/** The texts of all chunks, each once, as `textsOfCompletion` has those of a whole answer: without empty ones, in the same order. */
async function textsOf(chunks: readonly CompletionChunk[]): Promise<readonly StreamText[]> {
  const texts = new Map<string, StreamText>();
  await visit(chunks, (place, piece) => {
    for (const [key, join] of readingsOf(place))
      texts.set(key, { key, place, text: join(texts.get(key)?.text ?? "", piece) });
    return piece;
  });
  for (const [key, { place, name: tool }] of toolsOf(chunks)) {
    texts.set(key, { key, place, text: texts.get(key)?.text ?? "", tool });
  }
  return [...texts.values()]
    .filter(({ key, place, text, tool }) => {
      const isRepeated = key !== placeKey(place) && text === texts.get(placeKey(place))?.text;
      return !isRepeated && (text !== "" || tool !== undefined);
    })
    .toSorted((one, other) => comparePlaces(one.place, other.place));
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

/** Tools that are called, by the keys of their arguments. */
function toolsOf(
  chunks: readonly CompletionChunk[],
): ReadonlyMap<string, { readonly place: StreamPlace; readonly name: string }> {
  const tools = new Map<string, { readonly place: StreamPlace; readonly name: string }>();
  for (const { choices } of chunks) {
    for (const [place, name] of choices.flatMap((choice) => toolNamesIn(choice))) {
      const key = placeKey(place);
      tools.set(key, { place, name: joinName(tools.get(key)?.name ?? "", name) });
    }
  }
  return tools;
}

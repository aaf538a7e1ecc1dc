import { isDeepStrictEqual } from "node:util";
import { parseReplyJson } from "../exchange/json.ts";
import type { CompletionChunk } from "../forms/completion.ts";

/** Chunks that a template is sought in: where the first ones have none, the others have none either. */
const attemptsMax = 3;
/** A text that stands in JSON as it is: without quotes, escapes and control characters. */
const plainText = /^[^"\\\p{Cc}]+$/u;
const probe = "\u{1f9ea} probe of a template";

/** A chunk, and what stands around its text in its JSON. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly chunk: CompletionChunk;
}

/**
 * Most chunks of a stream are the one before with another text. Where a chunk's JSON is the same up to its text and from there on,
 * it is not parsed again, which is most of what such a chunk costs. What is taken from the text is only what cannot end the JSON
 * string that it stands in.
 */
export class TextChunkTemplate {
  #template: Template | undefined;
  #attempts = 0;

  /** The chunk of this JSON; undefined where it has to be parsed. */
  read(json: string): CompletionChunk | undefined {
    if (this.#template === undefined) return undefined;
    const { before, after, chunk } = this.#template;
    if (!json.startsWith(before) || !json.endsWith(after)) return undefined;
    const text = json.slice(before.length, json.length - after.length);
    return plainText.test(text) ? withText(chunk, text) : undefined;
  }

  /** Takes a chunk that was parsed from this JSON as the template, where its text is found in it beyond doubt. */
  learn(json: string, chunk: CompletionChunk): void {
    if (this.#template !== undefined || this.#attempts >= attemptsMax) return;
    const text = textOf(chunk);
    if (text === undefined || !plainText.test(text)) return;
    this.#attempts += 1;
    const start = json.indexOf(`"${text}"`) + 1;
    const template = { before: json.slice(0, start), after: json.slice(start + text.length), chunk };
    const probed = parseReplyJson(template.before + probe + template.after);
    // The same words may stand elsewhere, or be written twice: the place is right when another text there changes the chunk's.
    if (start > 0 && isDeepStrictEqual(probed, withText(chunk, probe))) this.#template = template;
  }
}

/** The text of a chunk whose one choice has text and goes on. */
function textOf({ choices, usage }: CompletionChunk): string | undefined {
  const [choice] = choices;
  if (choice === undefined || choices.length > 1 || choice.finish_reason !== null) return undefined;
  if (usage !== undefined && usage !== null) return undefined;
  const { content } = choice.delta;
  return typeof content === "string" ? content : undefined;
}

function withText(chunk: CompletionChunk, content: string): CompletionChunk {
  const [choice] = chunk.choices;
  return choice === undefined ? chunk : { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, content } }] };
}

import { isDeepStrictEqual } from "node:util";
import { parseReplyJson } from "../exchange/json.ts";
import { type CompletionChunk, rememberTextRun, withText } from "../forms/completion.ts";

/** Chunks in which a template is sought; where these have none, later ones have none either. */
const attemptsMax = 3;
/** A text that JSON writes unchanged: without quotes, escapes and control characters. */
const plainText = /^[^"\\\p{Cc}]+$/u;
/** Plain text as bytes, one character each; bytes of longer characters are never control characters. */
const plainBytes = /[ !#-[\]-~\x80-\xff]+/y;
const beyondAscii = /[\x80-\xff]/;
const lineBreak = /[\r\n]/;
const probe = "\u{1f9ea} probe of a template";

interface Template {
  readonly before: string;
  readonly after: string;
  readonly chunk: CompletionChunk;
  /** Bytes of the stream, one character each: an event up to its text, and its rest with either line end. */
  readonly lead: string;
  readonly tails: readonly [feed: string, returnAndFeed: string];
}

/** Combined chunk, and the number of bytes read for it. */
interface ReadRun {
  readonly chunk: CompletionChunk;
  readonly bytes: number;
}

/**
 * Fast path for streams whose chunks differ only in their text. Events with the same bytes before and after their text are not
 * parsed, which saves most of their cost; consecutive ones become one chunk that remembers their texts. A text is accepted only
 * if it cannot end its JSON string.
 */
export class TextChunkTemplate {
  #template: Template | undefined;
  #attempts = 0;

  /** The chunks at the beginning of bytes that start with an event; undefined where the first of them has to be parsed. */
  read(bytes: Buffer): ReadRun | undefined {
    if (this.#template === undefined) return undefined;
    const { before, after, chunk, lead, tails } = this.#template;
    const wire = bytes.toString("latin1");
    const texts: string[] = [];
    let end = 0;
    while (wire.startsWith(lead, end)) {
      const start = end + lead.length;
      plainBytes.lastIndex = start;
      if (!plainBytes.test(wire)) break;
      const textEnd = plainBytes.lastIndex;
      const tail = tails.find((one) => wire.startsWith(one, textEnd));
      if (tail === undefined) break;
      texts.push(wire.slice(start, textEnd));
      end = textEnd + tail.length;
    }
    if (texts.length === 0) return undefined;
    const decoded = texts.map(decode);
    const whole = withText(chunk, decoded.join(""));
    return { chunk: rememberTextRun(whole, { texts: decoded, before, after }), bytes: end };
  }

  /** Takes a chunk that was parsed from this JSON as the template, where its text has exactly one possible place. */
  learn(json: string, chunk: CompletionChunk): void {
    if (this.#template !== undefined || this.#attempts >= attemptsMax) return;
    const text = textOf(chunk);
    // JSON of several lines spans several data fields, which the template cannot match.
    if (text === undefined || !plainText.test(text) || lineBreak.test(json)) return;
    this.#attempts += 1;
    const start = json.indexOf(`"${text}"`) + 1;
    const [before, after] = [json.slice(0, start), json.slice(start + text.length)];
    const probed = parseReplyJson(before + probe + after);
    // The text may occur elsewhere in the chunk: the place is right if another text there changes the chunk's text.
    if (start === 0 || !isDeepStrictEqual(probed, withText(chunk, probe))) return;
    const tail = encode(after);
    const tails = [`${tail}\n\n`, `${tail}\r\n\r\n`] as const;
    this.#template = { before, after, chunk, lead: encode(`data: ${before}`), tails };
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function decode(wire: string): string {
  return beyondAscii.test(wire) ? Buffer.from(wire, "latin1").toString() : wire;
}

/** The text of a chunk with one choice that has text and is not finished. */
function textOf({ choices, usage }: CompletionChunk): string | undefined {
  const [choice] = choices;
  if (choice === undefined || choices.length > 1 || choice.finish_reason !== null) return undefined;
  if (usage !== undefined && usage !== null) return undefined;
  const { content } = choice.delta;
  return typeof content === "string" ? content : undefined;
}

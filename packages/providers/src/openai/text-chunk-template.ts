import { isDeepStrictEqual } from "node:util";
import { parseReplyJson } from "../exchange/json.ts";
import { type CompletionChunk, rememberTextRun, withText } from "../forms/completion.ts";

/** Chunks that a template is sought in: where the first ones have none, the others have none either. */
const attemptsMax = 3;
/** A text that stands in JSON as it is: without quotes, escapes and control characters. */
const plainText = /^[^"\\\p{Cc}]+$/u;
/** Plain text in bytes, one character each; those of longer characters are no control characters. */
const plainBytes = /[ !#-[\]-~\x80-\xff]+/y;
const beyondAscii = /[\x80-\xff]/;
const lineBreak = /[\r\n]/;
const probe = "\u{1f9ea} probe of a template";

/** A chunk, and what stands around its text in its JSON. */
interface Template {
  readonly before: string;
  readonly after: string;
  readonly chunk: CompletionChunk;
  /** Bytes of the stream, one character each: an event up to its text, and from there on with either line end. */
  readonly lead: string;
  readonly tails: readonly [feed: string, returnAndFeed: string];
}

/** Chunks that were read as one, and the bytes that they took. */
interface ReadRun {
  readonly chunk: CompletionChunk;
  readonly bytes: number;
}

/**
 * Most chunks of a stream are the one before with another text. Where the bytes of events are the same up to their text and from there
 * on, neither they nor their JSON is parsed, which is most of what such chunks cost: those that lie one behind another become one
 * chunk, which remembers their texts. What is taken as a text is only what cannot end the JSON string that it stands in.
 */
export class TextChunkTemplate {
  #template: Template | undefined;
  #attempts = 0;

  /** The chunks at the beginning of bytes with which an event begins; undefined where the first of them has to be parsed. */
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

  /** Takes a chunk that was parsed from this JSON as the template, where its text is found in it beyond doubt. */
  learn(json: string, chunk: CompletionChunk): void {
    if (this.#template !== undefined || this.#attempts >= attemptsMax) return;
    const text = textOf(chunk);
    // JSON of several lines is of several fields, which are not bytes of one form.
    if (text === undefined || !plainText.test(text) || lineBreak.test(json)) return;
    this.#attempts += 1;
    const start = json.indexOf(`"${text}"`) + 1;
    const [before, after] = [json.slice(0, start), json.slice(start + text.length)];
    const probed = parseReplyJson(before + probe + after);
    // Twins of the text may stand elsewhere in the chunk: the place is right when another text there changes the chunk's.
    if (start === 0 || !isDeepStrictEqual(probed, withText(chunk, probe))) return;
    const tail = encode(after);
    const tails = [`${tail}\n\n`, `${tail}\r\n\r\n`] as const;
    this.#template = { before, after, chunk, lead: encode(`data: ${before}`), tails };
  }
}

/** The bytes of a text, one character each. */
function encode(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function decode(wire: string): string {
  return beyondAscii.test(wire) ? Buffer.from(wire, "latin1").toString() : wire;
}

/** The text of a chunk whose one choice has text and goes on. */
function textOf({ choices, usage }: CompletionChunk): string | undefined {
  const [choice] = choices;
  if (choice === undefined || choices.length > 1 || choice.finish_reason !== null) return undefined;
  if (usage !== undefined && usage !== null) return undefined;
  const { content } = choice.delta;
  return typeof content === "string" ? content : undefined;
}

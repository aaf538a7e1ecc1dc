import { endOfJson, type JsonPlace, notJson } from "@gatehouse/json";
import { escapedBlanks } from "./escaped-blanks.ts";
import { type Reading, ReadingBuilder, withText } from "./reading.ts";
import type { ScratchBuffers } from "./scratch-buffers.ts";

/** Place in the JSON of a streamed text, where a piece of it begins. */
export interface PieceOfJson {
  /** Index of the piece; before it stands what the stream has shown. */
  readonly at: number;
  readonly place: JsonPlace;
}

const wholeText: PieceOfJson = { at: 0, place: "" };

const backslash = "\\";

/**
 * By the letter behind a backslash: the unit that both stand for in a string of JSON (RFC 8259, section 7), or 0. Quotation marks and
 * backslashes keep theirs, which tells where a string ends. `decode` reads `\u` in every text.
 */
const escapedUnits = new Uint8Array(0x80);
for (const [letter, unit] of Object.entries({ ...escapedBlanks, b: 0x08, f: 0x0c, "/": 0x2f }))
  escapedUnits[letter.charCodeAt(0)] = unit;

/**
 * The reading with the blanks and slashes that its JSON writes as escapes, by the rule that masks follow (`fitMasks`); the same reading
 * where it has none. In another text, such as a path (`C:\new`), a backslash may be one. Linear; nothing for a text without backslashes.
 */
export function readJsonEscapes(
  sent: Reading & { readonly text: string },
  piece: PieceOfJson = wholeText,
  scratch?: ScratchBuffers,
): Reading {
  const { text } = sent;
  const first = text.indexOf(backslash);
  // The text before a piece is JSON where its place in the JSON is known.
  if (first < 0 || piece.place === notJson) return sent;
  const end = piece.at + endOfJson(text.slice(piece.at), piece.place);
  let output: ReadingBuilder | undefined;
  let copied = 0;
  // JSON has backslashes in strings only.
  for (let at = first; at >= 0 && at + 1 < end; at = text.indexOf(backslash, at + 2)) {
    const unit = escapedUnits[text.charCodeAt(at + 1)] ?? 0;
    if (unit === 0) continue;
    output ??= new ReadingBuilder(text.length, scratch);
    output.copyRange(sent, copied, at);
    output.push(unit, at, at + 2);
    copied = at + 2;
  }
  if (output === undefined) return sent;
  output.copyRange(sent, copied, text.length);
  return withText(output.build());
}

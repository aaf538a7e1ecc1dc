import { inString, notJson } from "@gatehouse/json";
import type { PlaceholderValues } from "@gatehouse/placeholders";

/** A placeholder in UTF-8 bytes, read as Latin-1: a UTF-16 unit is at most three bytes. */
const placeholderBytes = /\[[^[\]\n]{1,150} \d{1,9}\]/gu;
/** Bytes of the longest placeholder. */
const placeholderBytesMax = 162;
/** A line of JSON, or of an event stream with JSON data. */
const jsonLine = /^(?:data:)?[ \t]*[[{"]/u;
/** Bytes of a line's start that decide whether it is JSON. */
const lineBeginningLength = 32;

/**
 * Restores values in a stream, holding back only the start of a possible placeholder. The text is UTF-8, or contains no
 * placeholder; all other bytes are unchanged. In JSON lines, values are escaped.
 */
export async function* restoreInPassing(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  values: PlaceholderValues,
): AsyncGenerator<Buffer, void> {
  const state = { values, beginning: "" };
  let held = "";
  for await (const chunk of body) {
    const text = held + chunk.toString("latin1");
    const until = openPlaceholderBytes(text);
    held = text.slice(until);
    if (until > 0) yield restorePiece(text.slice(0, until), state);
  }
  if (held !== "") yield restorePiece(held, state);
}

/** Index from which a text may continue to a placeholder; its length if none. */
function openPlaceholderBytes(text: string): number {
  const open = text.lastIndexOf("[");
  const isOpen = open >= 0 && text.length - open < placeholderBytesMax && !/[\]\n]/u.test(text.slice(open));
  return isOpen ? open : text.length;
}

interface LineState {
  readonly values: PlaceholderValues;
  /** First bytes of the line that is incomplete at the end of the last piece. */
  beginning: string;
}

function restorePiece(piece: string, state: LineState): Buffer {
  const lines = piece.split("\n").map((line, index) => {
    if (index > 0) state.beginning = "";
    state.beginning = (state.beginning + line.slice(0, lineBeginningLength)).slice(0, lineBeginningLength);
    const isJson = jsonLine.test(state.beginning);
    return line.replaceAll(placeholderBytes, (found) => {
      const label = Buffer.from(found, "latin1").toString();
      const { text: restored } = state.values.restorePiece(label, isJson ? inString : notJson);
      return restored === label ? found : Buffer.from(restored).toString("latin1");
    });
  });
  return Buffer.from(lines.join("\n"), "latin1");
}

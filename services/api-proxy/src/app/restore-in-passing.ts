import type { PlaceholderValues } from "@gatehouse/guardrail-client";

/** A placeholder in UTF-8, each byte as a character of Latin-1: a unit of UTF-16 is at most three bytes. */
const placeholderBytes = /\[[^[\]\n]{1,150} \d{1,9}\]/gu;
/** Bytes of the longest placeholder. */
const placeholderBytesMax = 162;
/** A line of JSON, or a line of an event stream with JSON in it. */
const jsonLine = /^(?:data:)?[ \t]*[[{"]/u;
/** Bytes of a line that tell whether it is one. */
const lineBeginningLength = 32;

/**
 * Puts values back into a text that passes as it comes: only a placeholder that has not come whole is held back. The text is UTF-8, or
 * holds no placeholder; all other bytes stay as they are. In lines that begin as JSON, values are written as JSON.
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

/** From where a text may become a placeholder with what comes next; its length where it cannot. */
function openPlaceholderBytes(text: string): number {
  const open = text.lastIndexOf("[");
  const isOpen = open >= 0 && text.length - open < placeholderBytesMax && !/[\]\n]/u.test(text.slice(open));
  return isOpen ? open : text.length;
}

interface LineState {
  readonly values: PlaceholderValues;
  /** The first bytes of the line that the last piece ended in. */
  beginning: string;
}

function restorePiece(piece: string, state: LineState): Buffer {
  const lines = piece.split("\n").map((line, index) => {
    if (index > 0) state.beginning = "";
    state.beginning = (state.beginning + line.slice(0, lineBeginningLength)).slice(0, lineBeginningLength);
    const isJson = jsonLine.test(state.beginning);
    return line.replaceAll(placeholderBytes, (found) => {
      const label = Buffer.from(found, "latin1").toString();
      const restored = state.values.restore(label, isJson);
      return restored === label ? found : Buffer.from(restored).toString("latin1");
    });
  });
  return Buffer.from(lines.join("\n"), "latin1");
}

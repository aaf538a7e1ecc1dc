/** Long strings that are kept: few, since those of one length are compared by their content. */
const keptMax = 8;

interface WrittenString {
  /** With its quotes. */
  readonly json: Buffer;
  /** Bytes of the text itself. */
  readonly textBytes: number;
}

/**
 * Long strings of a parsed body, with the JSON in which they came where it is, byte for byte, what JSON.stringify makes of them, so
 * that they need not be read or written again. All are well-formed. Keeps the bytes of the body.
 */
export class WrittenStrings {
  readonly #written = new Map<string, WrittenString>();

  /**
   * @param json - the string's bytes with its quotes, as they were parsed
   * @param saved - UTF-16 units by which the text is shorter than what is between the quotes
   */
  add(text: string, json: Buffer, saved: number): void {
    if (this.#written.size >= keptMax || !isAsWritten(json)) return;
    // Each escape saves a unit, which is a byte as well.
    this.#written.set(text, { json, textBytes: json.length - quotes - saved });
  }

  find(text: string): WrittenString | undefined {
    return this.#written.get(text);
  }
}

const quotes = 2;

/**
 * Whether a JSON string is what JSON.stringify makes of its value (ECMA-262, QuoteJSONString): it escapes no character that need not
 * be escaped, and none by number. Says no as well for an escaped backslash before `u` or a slash. UTF-8 holds no lone surrogates.
 */
function isAsWritten(json: Buffer): boolean {
  return !json.includes("\\u") && !json.includes("\\/");
}

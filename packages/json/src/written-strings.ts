/** Long strings that are kept: few, since those of one length are compared by their content. */
const keptMax = 8;

/** A piece of a string: its end in UTF-16 units of the text, and in bytes of its JSON. */
interface PieceEnd {
  readonly units: number;
  readonly bytes: number;
}

interface WrittenString {
  /** With its quotes. */
  readonly json: Buffer;
  /** Bytes of the text itself. */
  readonly textBytes: number;
  readonly pieces: readonly PieceEnd[];
}

/** Units that a changed string has in common with the one before: from an index of that to one of the changed string. */
export interface KeptRun {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/**
 * Long strings of a parsed body, with the JSON in which they came where it is, byte for byte, what JSON.stringify makes of them, so
 * that they need not be read or written again. Keeps the bytes of the body.
 */
export class WrittenStrings {
  readonly #written = new Map<string, WrittenString>();
  /** JSON of changed strings. */
  readonly #changed = new Map<string, readonly (string | Buffer)[]>();

  /**
   * @param json - the string's bytes with its quotes, as they were parsed
   * @param pieces - the pieces in which it was parsed
   * @param saved - UTF-16 units by which the text is shorter than what is between the quotes
   */
  add(text: string, json: Buffer, { pieces, saved }: ParsedPieces): void {
    if (this.#written.size >= keptMax || !isAsWritten(json)) return;
    // Each escape saves a unit, which is a byte as well.
    this.#written.set(text, { json, textBytes: json.length - quotes - saved, pieces });
  }

  /** A string as it came, which is well-formed. */
  find(text: string): WrittenString | undefined {
    return this.#written.get(text);
  }

  /** JSON of a string, as it came or as it was changed, with its quotes. */
  partsOf(text: string): readonly (string | Buffer)[] | undefined {
    const found = this.#written.get(text);
    return found === undefined ? this.#changed.get(text) : [found.json];
  }

  /**
   * Adds a string that was changed in some places: pieces without a change keep their bytes. Each is compared, so that wrong runs
   * only cost their writing.
   * @param runs - in order
   */
  addChanged(text: string, changed: string, runs: readonly KeptRun[]): void {
    const found = this.#written.get(text);
    if (found === undefined || this.#changed.size >= keptMax) return;
    const parts: (string | Buffer)[] = ['"'];
    let done = 0;
    let start = { units: 0, bytes: 1 };
    let run = 0;
    for (const end of found.pieces) {
      while (run < runs.length && endOf(runs[run]) < end.units) run += 1;
      const { from = 0, to = 0 } = runs[run] ?? {};
      const at = start.units - from + to;
      const isInside = run < runs.length && start.units >= from && at >= done;
      const piece = isInside ? text.slice(start.units, end.units) : "";
      if (isInside && changed.slice(at, at + piece.length) === piece) {
        parts.push(escaped(changed.slice(done, at)), found.json.subarray(start.bytes, end.bytes));
        done = at + piece.length;
      }
      start = end;
    }
    parts.push(escaped(changed.slice(done)), '"');
    this.#changed.set(changed, parts);
  }
}

interface ParsedPieces {
  readonly pieces: readonly PieceEnd[];
  readonly saved: number;
}

const quotes = 2;

function endOf({ from, length }: KeptRun = { from: 0, to: 0, length: 0 }): number {
  return from + length;
}

/** The text as inside a JSON string. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Whether a JSON string is what JSON.stringify makes of its value (ECMA-262, QuoteJSONString): it escapes no character that need not
 * be escaped, and none by number. Says no as well for an escaped backslash before `u` or a slash. UTF-8 holds no lone surrogates.
 */
function isAsWritten(json: Buffer): boolean {
  return !json.includes("\\u") && !json.includes("\\/");
}

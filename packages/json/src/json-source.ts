/** A JSON text to be parsed piece by piece. Its indexes are units of a text, or bytes. */
export interface JsonSource {
  /** One character for each index. Those of JSON's marks, white space and escapes are themselves. */
  readonly marks: string;
  slice(from: number, to: number): string;
  /** The index, or the one before it of the character that it would split. */
  outsideCharacter(at: number): number;
  /** UTF-16 units between two indexes. */
  readonly unitsIn: (from: number, to: number) => number;
  /** The bytes between two indexes; absent for a text, which has none. */
  bytes?(from: number, to: number): Buffer;
}

/** A text as it is. Its pieces may split a surrogate pair, since they are joined again. */
export function sourceOfText(text: string): JsonSource {
  return {
    marks: text,
    slice: (from, to) => text.slice(from, to),
    outsideCharacter: (at) => at,
    unitsIn: (from, to) => to - from,
  };
}

/**
 * A text in UTF-8, of which no whole text is made. Its marks are the bytes as characters: JSON's marks are ASCII, which in UTF-8 is
 * part of no other character.
 * @param bytes - valid UTF-8, without a byte order mark
 */
export function sourceOfBytes(bytes: Buffer): JsonSource {
  const slice = (from: number, to: number) => bytes.toString("utf8", from, to);
  return {
    marks: bytes.toString("latin1"),
    slice,
    outsideCharacter(at) {
      let start = at;
      while (isContinuation(bytes[start])) start -= 1;
      return start;
    },
    unitsIn: (from, to) => slice(from, to).length,
    bytes: (from, to) => bytes.subarray(from, to),
  };
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

/** A token (RFC 9110, section 5.6.2): the name of a field, or a method. */
export const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Any character that no field value may have (RFC 9110, section 5.5); a line end inside a line is one of them. Bytes beyond ASCII are
 * allowed, as Latin-1.
 */
export const invalidInFieldValue = /[^\t\u0020-\u007e\u0080-\u00ff]/;

/** The value in a range of a text, without the whitespace around it, which is spaces and tabs only. */
export function trimFieldValue(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

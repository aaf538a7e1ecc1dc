/** A token (RFC 9110, section 5.6.2): the name of a field, or a method. */
export const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Any character that no field value may have (RFC 9110, section 5.5); a line end inside a line is one of them. Bytes beyond ASCII are
 * allowed, as Latin-1.
 */
export const invalidInFieldValue = /[^\t\u0020-\u007e\u0080-\u00ff]/;

/**
 * Whether a `Content-Type` names this media type, in any case and with any parameters (RFC 9110, section 8.3.1). Of several types,
 * as of a header that is sent twice, the first counts.
 * @param type in lower case
 */
export function isMediaType(contentType: string | undefined, type: string): boolean {
  const end = contentType?.search(/[;,]/) ?? -1;
  const named = end < 0 ? contentType : contentType?.slice(0, end);
  return named?.trim().toLowerCase() === type;
}

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

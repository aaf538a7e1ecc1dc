/** The last chunk of a body, without trailers (RFC 9112, section 7.1). */
export const lastChunk = "0\r\n\r\n";

/**
 * Frames a text as one chunk. Node would frame it as four writes.
 * @param bytes its size as it is sent; the length of a Latin-1 text
 */
export function chunkOf(text: string, bytes = text.length): string {
  return `${bytes.toString(16)}\r\n${text}\r\n`;
}

/** The range of a PEM private key that begins at `start` in `text`, or nothing. An unfinished key runs to the end. */
export function pemKeyEnd(text: string, start: number): number | undefined {
  const head = /^-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(start, start + 100));
  if (head === null) return undefined;
  const tail = text.indexOf("-----END", start + head[0].length);
  if (tail === -1) return text.length;
  const close = text.indexOf("-----", tail + 8);
  return close === -1 ? text.length : close + 5;
}

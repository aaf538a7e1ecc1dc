const literals = ["true", "false", "null"].map((text) => Buffer.from(text));

/** Index after the number or literal that begins at `start`; undefined where none does. */
export function endOfScalar(bytes: Buffer, start: number): number | undefined {
  const byte = bytes[start] ?? 0;
  if (byte === minus || isDigit(byte)) return endOfNumber(bytes, start);
  const literal = literals.find(
    (text) => byte === text[0] && text.compare(bytes, start, Math.min(bytes.length, start + text.length)) === 0,
  );
  return literal === undefined ? undefined : start + literal.length;
}

const minus = 0x2d;
const plus = 0x2b;
const point = 0x2e;
const zero = 0x30;

/** RFC 8259, section 6. */
function endOfNumber(bytes: Buffer, start: number): number | undefined {
  const first = bytes[start] === minus ? start + 1 : start;
  let at = bytes[first] === zero ? first + 1 : skipDigits(bytes, first);
  if (at === first) return undefined;
  if (bytes[at] === point) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction);
    if (at === fraction) return undefined;
  }
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at;
  const sign = bytes[at + 1];
  const exponent = sign === plus || sign === minus ? at + 2 : at + 1;
  at = skipDigits(bytes, exponent);
  return at === exponent ? undefined : at;
}

function skipDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? 0)) at += 1;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 0x39;
}

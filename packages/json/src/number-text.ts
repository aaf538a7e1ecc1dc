/** Most digits that a number is expanded to; larger ones stay as written. */
const placesMax = 400;
const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Normal form of a JSON number, without exponent and redundant zeros: `4.1e3` and `4100.0` are `4100`. */
export function numberText(written: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts.exec(written) ?? [];
  const shift = Number(exponent);
  if (whole === "" || Math.abs(shift) > placesMax || written.length > placesMax) return written;
  const digits = whole + fraction;
  const point = whole.length + shift;
  const padded = point > 0 ? digits.padEnd(point, "0") : digits.padStart(digits.length - point + 1, "0");
  const at = Math.max(1, point);
  const integer = padded.slice(0, at).replace(leadingZeros, "");
  const rest = padded.slice(at).replace(trailingZeros, "");
  return rest === "" ? sign + integer : `${sign}${integer}.${rest}`;
}

const leadingZeros = /^0+(?=\d)/;
const trailingZeros = /0+$/;

/**
 * Result of parsing a number that a double cannot hold: `9007199254740992` for `9007199254740993`, `Infinity` for `1e400`.
 * Undefined for a number that is kept, such as `0.1`, which is written as the same text.
 */
export function rounded(written: string): string | undefined {
  const kept = String(Number(written));
  return numberText(written) === numberText(kept) ? undefined : kept;
}

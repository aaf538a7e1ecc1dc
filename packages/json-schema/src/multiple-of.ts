interface Decimal {
  readonly digits: bigint;
  /** Power of ten that the digits count. */
  readonly exponent: number;
}

/** Whether a number is a multiple of another, positive one, both as they are written in decimal: 19.99 is one of 0.01. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [one, other] = [toDecimal(value), toDecimal(divisor)];
  const exponent = Math.min(one.exponent, other.exponent);
  return scale(one, exponent) % scale(other, exponent) === 0n;
}

/** The shortest decimal that is read as this number, which is the one that was written in all but extreme cases. */
function toDecimal(value: number): Decimal {
  const [mantissa = "", power = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

function scale({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

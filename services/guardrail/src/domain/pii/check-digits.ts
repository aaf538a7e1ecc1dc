const verhoeffProducts = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
] as const;
const verhoeffTurns = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
] as const;

/** Sum of the digits, each times its weight. Digits without a weight do not count. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index] ?? 0), 0);
}

/** Verhoeff's check over a string of digits. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    check = Number(verhoeffProducts[check]?.[Number(verhoeffTurns[index % 8]?.[digit])]);
  }
  return check === 0;
}

/** ISO/IEC 7064, MOD 11,10: the last digit checks the others. */
export function passesMod11Of10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

/** EAN-13. */
export function passesEan(digits: string): boolean {
  return weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

/** Whether two digits each are a month and a day. */
export function isDayOfYear(month: string, day: string): boolean {
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
}

/** Millionths of a US dollar, a whole number; the unit of every stored budget and cost. */
export type Micros = number;

/** For sums with fractions of a micro-dollar, which are rounded later. */
export const microsPerDollar = 1_000_000;

/** @param usd at least 0 @returns whole millionths of a dollar */
export function toMicros(usd: number): Micros {
  // Adding zero turns -0 into 0.
  return Math.round(usd * microsPerDollar) + 0;
}

/** US dollars, as tools, events and metrics show an amount. */
export function toDollars(micros: Micros): number {
  return micros / microsPerDollar;
}

/** With a dollar sign and 2 to 6 decimals, e.g. `$10.00`, `$0.000125`. */
export function formatDollars(micros: Micros): string {
  const sign = micros < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(micros) / microsPerDollar);
  const fraction = String(Math.abs(micros) % microsPerDollar).padStart(6, "0");
  return `${sign}$${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, "")}`;
}

import { type Argument, argument, invalid, number } from "./arguments.ts";

const microsPerDollar = 1_000_000;
const dollarsMax = 1_000_000_000;

/** An amount of US dollars with at most six decimals, read as whole micro-dollars, which a double holds exactly. */
export function dollars(description: string): Argument<number> {
  const amount = number({ description, min: 0, max: dollarsMax });
  return argument(amount.schema, (value, field) => {
    const usd = amount.read(value, field);
    if (Number(usd.toFixed(6)) !== usd) throw invalid(field, "must have at most 6 decimals");
    // Adding zero turns -0 into 0.
    return Math.round(usd * microsPerDollar) + 0;
  });
}

export function toDollars(micros: number): number {
  return micros / microsPerDollar;
}

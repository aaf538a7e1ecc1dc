import { number, refined } from "./schemas.ts";

const dollarsMax = 1_000_000_000;

/** An amount of US dollars with at most six decimals, which is a whole number of micro-dollars. */
export function dollars(description: string) {
  const schema = number({ description: `${description} At most 6 decimals.`, min: 0, max: dollarsMax });
  return refined(schema, (usd) => (Number(usd.toFixed(6)) === usd ? undefined : "must have at most 6 decimals"));
}

import type { RequestEntry } from "../api/types.ts";
import { formatCount, formatMoney } from "./format.ts";

type Sums = Pick<RequestEntry, "prompt_tokens" | "completion_tokens" | "cost_usd" | "details">;

/** Cost of a call, and whether the gateway presumes it because the provider has not reported it. */
export function costText({ cost_usd, details }: Sums): string {
  if (cost_usd === null) return "";
  return isPresumed(details) ? `${formatMoney(cost_usd)} presumed` : formatMoney(cost_usd);
}

/** The cost in a column, with a sign before a presumed one. */
export function costInColumn({ cost_usd, details }: Sums): string {
  if (cost_usd === null) return "";
  return isPresumed(details) ? `≈ ${formatMoney(cost_usd)}` : formatMoney(cost_usd);
}

/** Tokens of a call, and whether the gateway has counted them because the provider has not. */
export function tokensText({ prompt_tokens, completion_tokens, details }: Sums): string {
  if (prompt_tokens === null) return "";
  const cached = details?.cached_tokens;
  const ofCache = typeof cached === "number" ? ` (${formatCount(cached)} from the provider's cache)` : "";
  const counted = details?.usage_estimated === true ? ", estimated" : "";
  return `${formatCount(prompt_tokens)} prompt${ofCache}, ${formatCount(completion_tokens ?? 0)} completion${counted}`;
}

/** Why a cost is presumed; undefined for a reported cost. */
export function presumedNote({ details }: Sums): string | undefined {
  if (!isPresumed(details)) return undefined;
  return "The provider has not reported the cost of this call. Counted is what was reserved or, without a budget, the prompt and the received part of the answer.";
}

function isPresumed(details: Sums["details"]): boolean {
  return details?.cost_presumed === true;
}

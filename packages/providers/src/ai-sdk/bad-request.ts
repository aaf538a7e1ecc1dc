import { ProviderError } from "../provider.ts";

/** The request cannot be put in the provider's terms: a caller's fault, as the provider itself would say with 400. */
export function badRequest(provider: string, problem: string): ProviderError {
  return new ProviderError("status", `${provider} cannot be asked this: ${problem}`, { status: 400 }).asFree();
}

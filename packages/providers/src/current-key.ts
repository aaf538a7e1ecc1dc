import { isGatewayError } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";
import { type ProviderAddress, ProviderError } from "./provider.ts";

/**
 * Resolves the address's key once for a whole attempt, since a key kept elsewhere may be rotated at any moment.
 * @throws ProviderError for a key that cannot be read where it is kept.
 */
export function withCurrentKey(address: ProviderAddress): ProviderAddress {
  const { apiKey, provider } = address;
  if (apiKey?.reference === undefined) return address;
  try {
    return { ...address, apiKey: new Secret(apiKey.reveal()) };
  } catch (cause) {
    if (!isGatewayError(cause)) throw cause;
    const message = `the key of ${provider} cannot be read from its reference (env: or file:)`;
    throw new ProviderError("unreachable", message, { cause }).asFree();
  }
}

import type { ProviderAddress } from "../provider.ts";
import { parseBaseUrl } from "../exchange/base-url.ts";

/** The base URL for a provider's package: the public one, or the address's own, with the public one's path where it has none. */
export function baseUrlOf({ baseUrl, provider }: ProviderAddress, publicBaseUrl: string): string {
  if (baseUrl === undefined) return publicBaseUrl;
  const { origin, path } = parseBaseUrl(baseUrl, provider);
  return `${origin}${path === "" ? new URL(publicBaseUrl).pathname : path}`;
}

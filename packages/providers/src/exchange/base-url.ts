import { BoundedCache } from "@gatehouse/bounded-cache";
import { ProviderError } from "../provider.ts";

interface BaseUrl {
  readonly origin: string;
  /** Without a trailing slash; empty for the root. */
  readonly path: string;
  /** With its question mark; empty where absent. */
  readonly query: string;
}

/** Parsed addresses: the same few are called repeatedly. */
const parsed = new BoundedCache<string, BaseUrl>(1_000);

/** @throws ProviderError `unreachable` where it is not an http or https URL. The message does not repeat it. */
export function parseBaseUrl(baseUrl: string, provider: string): BaseUrl {
  const known = parsed.get(baseUrl);
  if (known !== undefined) return known;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ProviderError("unreachable", `${provider} has a base URL that is not an http address`).asFree();
  }
  const parts = { origin: url.origin, path: url.pathname.replace(/\/+$/, ""), query: url.search };
  parsed.set(baseUrl, parts);
  return parts;
}

import type { Protocol } from "@gatehouse/principal";

interface ReachedBy {
  readonly headers: { readonly origin?: string | undefined; readonly host?: string | undefined };
  /** Protocol of the connection, or as a trusted proxy tells it. */
  readonly protocol: Protocol | undefined;
  readonly publicUrl: string | undefined;
}

/**
 * Whether a browser is known to have reached the gateway by TLS: as a trusted proxy tells it, as the browser does by the scheme of
 * the gateway's own page, or since it called the host of the public address.
 */
export function isSecureRequest({ headers, protocol, publicUrl }: ReachedBy): boolean {
  if (protocol === "https") return true;
  const host = headers.host?.toLowerCase();
  return [headers.origin, publicUrl].some((address) => isSecureOrigin(address) && URL.parse(address)?.host === host);
}

/** Whether an origin, or another address, is of TLS. */
export function isSecureOrigin(origin: string | undefined): origin is string {
  return origin?.toLowerCase().startsWith("https://") === true;
}

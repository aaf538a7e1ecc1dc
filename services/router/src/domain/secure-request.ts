import type { Protocol } from "@gatehouse/principal";

interface ReachedBy {
  readonly headers: { readonly origin?: string | undefined; readonly host?: string | undefined };
  /** Protocol of the connection, or as reported by a trusted proxy. */
  readonly protocol: Protocol | undefined;
  readonly publicUrl: string | undefined;
}

/**
 * Whether a browser is known to use TLS: by a trusted proxy's header, by the scheme of `Origin`, or because `Host` is that of the
 * public `https` URL.
 */
export function isSecureRequest({ headers, protocol, publicUrl }: ReachedBy): boolean {
  if (protocol === "https") return true;
  const host = headers.host?.toLowerCase();
  return [headers.origin, publicUrl].some((address) => isSecureOrigin(address) && URL.parse(address)?.host === host);
}

/** Whether an origin or a URL has the scheme `https`, in any case; false where it is unknown. */
export function isSecureOrigin(origin: string | undefined): origin is string {
  return origin?.toLowerCase().startsWith("https://") === true;
}

/**
 * Value of `X-Service-Signature` for a body (docs/webhooks.md).
 * @throws Error where the browser has no cryptography, as on a page that came without TLS from another machine
 */
export async function signBody(body: string, secret: string): Promise<string> {
  if (!globalThis.isSecureContext) {
    throw new Error("The browser computes signatures only on pages that came over TLS. Use the shell line instead.");
  }
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign(algorithm, key, encoder.encode(body)));
  return `sha256=${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

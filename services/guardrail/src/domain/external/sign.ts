import { createHmac } from "node:crypto";

const prefix = "whsec_";

/**
 * The headers of a signed question, as Standard Webhooks 1.0 has them: base64 HMAC-SHA256 of `id.timestamp.body`. The key is the
 * bytes that the base64 behind `whsec_` stands for, and of any other secret its UTF-8.
 */
export function signedHeaders(
  secret: string,
  { id, timestampSeconds, body }: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): Record<string, string> {
  const key = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret);
  const timestamp = String(timestampSeconds);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

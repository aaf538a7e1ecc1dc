import { createHmac } from "node:crypto";
import { ExternalReplyProblem } from "./external-verdict.ts";

const prefix = "whsec_";
/** Fewest bytes of a key, as Standard Webhooks 1.0 has it. */
const keyBytesMin = 24;

/** Fault of a secret behind `whsec_`, which is in no case used as a shorter or empty key. */
export const secretProblem = `begins with ${prefix} and must go on with base64 of at least ${keyBytesMin} bytes`;

/**
 * The headers of a signed question, as Standard Webhooks 1.0 has them: base64 HMAC-SHA256 of `id.timestamp.body`.
 * @throws ExternalReplyProblem if the secret gives no key
 */
export function signedHeaders(
  secret: string,
  { id, timestampSeconds, body }: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): Record<string, string> {
  const key = signingKey(secret);
  if (key === undefined) throw new ExternalReplyProblem(`The guardrail's secret ${secretProblem}.`);
  const timestamp = String(timestampSeconds);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** The bytes behind `whsec_`, in base64 or base64url, or the UTF-8 of any other secret; undefined if the former are no key. */
export function signingKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(prefix)) return Buffer.from(secret);
  const encoded = secret.slice(prefix.length);
  const key = Buffer.from(encoded, "base64");
  const isExact =
    key.toString("base64url") ===
    encoded
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replace(/={0,2}$/u, "");
  return isExact && key.length >= keyBytesMin ? key : undefined;
}

import { createHmac } from "node:crypto";

/** Plaintext secrets that sign one delivery, each the whole `whsec_…` text. */
export interface SigningKeys {
  readonly first: string;
  readonly second: string | undefined;
  /** Whether the second one is the next secret. */
  readonly isStaged: boolean;
}

interface SignedMessage {
  /** Id shared by a delivery and its repetitions, by which receivers recognise them. */
  readonly messageUuid: string;
  readonly deliveryUuid: string;
  readonly event: string;
  readonly body: string;
  readonly timestampSeconds: number;
}

const secretPrefix = "whsec_";

/**
 * Headers of a delivery. `<prefix>-Signature` (the contract's): hex HMAC-SHA256 of the raw body with the whole secret as UTF-8;
 * does not cover the timestamp. `webhook-signature` (Standard Webhooks 1.0): base64 HMAC-SHA256 of `id.timestamp.body` with the
 * secret's decoded base64, one value per signing secret.
 */
export function signedHeaders(message: SignedMessage, keys: SigningKeys, prefix: string): Record<string, string> {
  const { messageUuid, timestampSeconds, body } = message;
  const timestamp = String(timestampSeconds);
  const signers = keys.second === undefined ? [keys.first] : [keys.first, keys.second];
  const standard = signers.map((secret) => `v1,${standardSignature(secret, `${messageUuid}.${timestamp}.${body}`)}`);
  return {
    "Content-Type": "application/json",
    [`${prefix}-Event`]: message.event,
    [`${prefix}-Signature`]: bodySignature(keys.first, body),
    ...(keys.isStaged && keys.second !== undefined
      ? { [`${prefix}-Signature-Next`]: bodySignature(keys.second, body) }
      : {}),
    [`${prefix}-Timestamp`]: timestamp,
    [`${prefix}-Delivery`]: message.deliveryUuid,
    "webhook-id": messageUuid,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard.join(" "),
  };
}

function bodySignature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

function standardSignature(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64url");
  return createHmac("sha256", key).update(signed).digest("base64");
}

import type { Tracing } from "@gatehouse/telemetry";
import type { PostResult, PostToReceiver } from "../clients/receiver.ts";
import { type DeliveryOutcome, secretFaultError } from "../domain/delivery.ts";
import { signedHeaders, type SigningKeys } from "../domain/signature.ts";
import { type SecretRecord, type SecretSource, signersAt, type SigningSecrets } from "../domain/signing-secret.ts";
import type { StartedDelivery } from "../store/queue.ts";

interface Attempted {
  readonly outcome: DeliveryOutcome;
  /** Whether the receiver sent anything; undefined where it was not called. */
  readonly answered: boolean | undefined;
}

/** Signs and sends a started delivery. Never throws. */
export type Attempt = (delivery: StartedDelivery, maySend: () => boolean) => Promise<Attempted>;

/** Derives the plaintext of a secret; undefined where that fails. */
type Derive = (source: SecretSource, record: SecretRecord) => { reveal(): string } | undefined;

interface AttemptOptions {
  readonly post: PostToReceiver;
  readonly derive: Derive;
  /** Called with whether a webhook's secrets could be derived. */
  readonly onSecret: (webhookId: number, isFaulty: boolean) => void;
  readonly headerPrefix: string;
  readonly timeoutMs: number;
  readonly tracing: Tracing;
}

/** Creates the attempt: signs, sends, and classifies the outcome. */
export function createAttempt(options: AttemptOptions): Attempt {
  return async (delivery, maySend) => {
    const { source, secrets, startedAt } = delivery;
    const keys = signingKeys({ source, secrets, at: startedAt }, options.derive);
    options.onSecret(delivery.webhookId, keys === undefined);
    if (keys === undefined) return { outcome: secretFault(delivery), answered: undefined };
    const span = options.tracing.start("webhook delivery", {
      kind: "client",
      parent: delivery.traceparent,
      attributes: { "gatehouse.event": delivery.event, "gatehouse.webhook_id": delivery.webhookId },
    });
    const { url, requestBody: body } = delivery;
    const headers = { ...fixedHeaders, ...signedHeaders(toMessage(delivery), keys, options.headerPrefix) };
    const result = await options.post({ url, headers, body, timeoutMs: options.timeoutMs, maySend });
    span.end(result.error === undefined ? undefined : new Error("not delivered"));
    return { outcome: toOutcome(result, delivery.queueMs), answered: result.httpStatus !== undefined };
  };
}

/** `identity`, since the record stores replies without decompressing them. */
const fixedHeaders = { "User-Agent": "Gatehouse-Webhooks/0.1", Accept: "*/*", "Accept-Encoding": "identity" };

interface Signing {
  readonly source: SecretSource;
  readonly secrets: SigningSecrets;
  readonly at: Date;
}

/** Plaintexts that sign at a time; undefined where one cannot be derived. */
export function signingKeys({ source, secrets, at }: Signing, derive: Derive): SigningKeys | undefined {
  const { first, second, isStaged } = signersAt(secrets, at);
  const firstKey = derive(source, first);
  const secondKey = second === undefined ? undefined : derive(source, second);
  // Refused even if one secret suffices to verify: the database or the keyring was altered, and nothing is safe to sign.
  if (firstKey === undefined || (second !== undefined && secondKey === undefined)) return undefined;
  return { first: firstKey.reveal(), second: secondKey?.reveal(), isStaged };
}

function toMessage({ messageUuid, uuid, event, requestBody, startedAt }: StartedDelivery) {
  const timestampSeconds = Math.floor(startedAt.getTime() / 1_000);
  return { messageUuid, deliveryUuid: uuid, event, body: requestBody, timestampSeconds };
}

function secretFault({ queueMs }: StartedDelivery): DeliveryOutcome {
  return {
    success: false,
    httpStatus: undefined,
    responseHeaders: undefined,
    responseBody: undefined,
    responseTruncated: false,
    error: secretFaultError,
    durationMs: 0,
    timing: { queue: queueMs },
  };
}

function toOutcome(result: PostResult, queueMs: number): DeliveryOutcome {
  const { httpStatus, responseHeaders, responseBody, responseTruncated, error, connectMs, firstByteMs, totalMs } =
    result;
  return {
    success: error === undefined,
    httpStatus,
    responseHeaders,
    responseBody,
    responseTruncated,
    error,
    durationMs: Math.round(totalMs),
    timing: {
      queue: queueMs,
      ...(connectMs === undefined ? {} : { connect: round(connectMs) }),
      ...(connectMs === undefined || firstByteMs === undefined ? {} : { first_byte: round(firstByteMs - connectMs) }),
      ...(firstByteMs === undefined ? {} : { body: round(totalMs - firstByteMs) }),
    },
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

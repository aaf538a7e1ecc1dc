import type { KeptHeaders } from "./kept-headers.ts";

/** States of a delivery: waiting; claimed by a worker; about to be sent or sent; ended with an outcome. */
export const deliveryStates = ["pending", "claimed", "started", "done"] as const;
/** State of a delivery; `done` is final for every outcome. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Lists of deliveries: ended ones (`done`), and all others. */
export const deliveryLists = ["finished", "in_progress"] as const;
/** Argument `state` of `svc_list_deliveries`. */
export type DeliveryList = (typeof deliveryLists)[number];

/** Milliseconds by stage: waiting to be sent; resolution, connection and TLS; up to the head of the reply; the reply's body. */
interface DeliveryTiming {
  readonly queue: number;
  readonly connect?: number;
  readonly first_byte?: number;
  readonly body?: number;
}

/** Result of a delivery's one attempt; a failed delivery is not repeated by itself. */
export interface DeliveryOutcome {
  /** Whether the receiver answered 2xx completely and in time. */
  readonly success: boolean;
  readonly httpStatus: number | undefined;
  readonly responseHeaders: KeptHeaders | undefined;
  /** Body of the reply as text, truncated at a bound. */
  readonly responseBody: string | undefined;
  readonly responseTruncated: boolean;
  /** Error for people; absent on success. */
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly timing: DeliveryTiming;
}

/** A delivery, for administrators. */
export interface Delivery {
  readonly id: number;
  readonly uuid: string;
  /** Uuid of the first delivery; its own unless it repeats one. */
  readonly messageUuid: string;
  readonly webhookId: number;
  readonly event: string;
  readonly state: DeliveryState;
  readonly success: boolean | undefined;
  readonly httpStatus: number | undefined;
  readonly requestBody: string;
  readonly requestTruncated: boolean;
  readonly responseHeaders: KeptHeaders | undefined;
  readonly responseBody: string | undefined;
  readonly responseTruncated: boolean;
  readonly error: string | undefined;
  /** Time of sending; before that, of creation. */
  readonly attemptedAt: Date;
  readonly durationMs: number | undefined;
  readonly redeliveryOf: number | undefined;
  /** JSON object of {@link DeliveryTiming}; empty before the end. */
  readonly timing: string;
}

/** Why a status is not a success, for people; undefined for 2xx. */
export function judgeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}.${isRedirect ? " Redirects are not followed." : ""}`;
}

/** Longest body that a record stores, bytes. */
export const storedBodyBytesMax = 64 * 1024;

/** Error of a delivery whose sender died. */
export const interruptedError =
  "interrupted: the gateway stopped before it knew the outcome; the delivery is not repeated.";
/** Error of a delivery that was not sent, since its webhook had been deactivated or deleted. */
export const inactiveError = "The webhook was no longer active; nothing was sent.";
/** Error of a delivery whose webhook's secret could not be derived. */
export const secretFaultError =
  "The webhook's signing secret cannot be derived; nothing was sent. Check GATEHOUSE_KEYRING.";

/** Error of a delivery whose start the database refuses to record. */
export const refusedError = "The database refused to record that this delivery starts; nothing was sent.";
/** Error of a delivery whose outcome the database refuses to record. */
export const replyRefusedError = "The database refused to record the reply to this delivery.";

/** Truncates a text to `bytesMax` bytes of UTF-8. */
export function cutText(text: string, bytesMax: number): { readonly text: string; readonly truncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return { text, truncated: false };
  // A streaming decoder omits a truncated character.
  return { text: new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true }), truncated: true };
}

/** Steps of a delivery at which a test may end the process or delay it. */
export type Checkpoint = "claimed" | "started" | "sent" | "recorded";

/** Awaited at each step. */
export type OnCheckpoint = (at: Checkpoint) => Promise<void> | void;

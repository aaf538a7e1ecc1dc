import type { KeptHeaders } from "./kept-headers.ts";

/** States of a delivery: waiting; taken by a worker; about to be sent, or sent; ended, with its outcome. */
export const deliveryStates = ["pending", "claimed", "started", "done"] as const;
/** The state of a delivery; `done` is final, whatever came of it. */
export type DeliveryState = (typeof deliveryStates)[number];

/** The lists of deliveries: those that have ended (`done`), and the others. */
export const deliveryLists = ["finished", "in_progress"] as const;
/** One of the lists. */
export type DeliveryList = (typeof deliveryLists)[number];

/** Milliseconds by stage: waiting to be sent; name, connection and TLS; to the head of the reply; the reply's body. */
interface DeliveryTiming {
  readonly queue: number;
  readonly connect?: number;
  readonly first_byte?: number;
  readonly body?: number;
}

/** Outcome of an attempt. */
export interface DeliveryOutcome {
  /** Whether the receiver answered 2xx, all of it in time. */
  readonly success: boolean;
  readonly httpStatus: number | undefined;
  readonly responseHeaders: KeptHeaders | undefined;
  /** The reply's body as text, cut at a bound. */
  readonly responseBody: string | undefined;
  readonly responseTruncated: boolean;
  /** The failure in words for people; absent on success. */
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly timing: DeliveryTiming;
}

/** A delivery as an administrator sees it. */
export interface Delivery {
  readonly id: number;
  readonly uuid: string;
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
  /** When it was sent; before that, when it was made. */
  readonly attemptedAt: Date;
  readonly durationMs: number | undefined;
  readonly redeliveryOf: number | undefined;
  /** JSON object of {@link DeliveryTiming}; empty before the end. */
  readonly timing: string;
}

/** Why an answer with this status is no success, in words for people; undefined for 2xx, which alone is one. */
export function judgeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const isRedirect = status >= 300 && status < 400;
  return `The receiver answered ${status}.${isRedirect ? " Redirects are not followed." : ""}`;
}

/** Longest body that a record shows or keeps, bytes. */
export const storedBodyBytesMax = 64 * 1024;

/** The error of a delivery whose sender vanished. */
export const interruptedError =
  "interrupted: the gateway stopped before it knew the outcome; the delivery is not repeated.";
/** The error of a delivery that was not sent since its webhook had been switched off or deleted. */
export const inactiveError = "The webhook was no longer active; nothing was sent.";
/** The error of a delivery whose webhook's secret could not be derived. */
export const secretFaultError = "The webhook's signing secret cannot be derived; nothing was sent. Check the keyring.";

/** The error of a delivery whose start the database refuses to record. */
export const refusedError = "The database refused to record that this delivery starts; nothing was sent.";
/** The error of a delivery whose outcome the database refuses to record. */
export const replyRefusedError = "The database refused to record the reply to this delivery.";

/** The text's beginning, at most `bytesMax` bytes of UTF-8, and whether that is not all of it. */
export function cutText(text: string, bytesMax: number): { readonly text: string; readonly truncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return { text, truncated: false };
  // A streaming decoder keeps back a character that is cut in half.
  return { text: new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true }), truncated: true };
}

/** Places in a delivery's way at which a test may end the process, or make it wait. */
export type Checkpoint = "claimed" | "started" | "sent" | "recorded";

/** Called at each place, and awaited. */
export type OnCheckpoint = (at: Checkpoint) => Promise<void> | void;

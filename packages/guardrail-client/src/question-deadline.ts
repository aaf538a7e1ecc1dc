import { isGatewayError } from "@gatehouse/errors";
import type { InspectedText } from "./guardrail-client.ts";

/** UTF-16 units of a question above which it may wait for a worker thread. */
const longTextUnits = 32 * 1024;
/** Extra time of such a question: 2.5 s of waiting and 2 s of work, after which the guardrails themselves refuse. */
const longTextMsMax = 5_000;

/** Whether texts may wait for a worker thread. */
export function areLong(texts: readonly InspectedText[]): boolean {
  return texts.reduce((total, { text }) => total + text.length, 0) > longTextUnits;
}

/** Time of a question: `timeoutMs`, and more for long texts. */
export function deadlineMs(timeoutMs: number, isLong: boolean): number {
  return timeoutMs + (isLong ? longTextMsMax : 0);
}

/** Whether a question failed because its deadline passed. For long texts that is no outage, so no policy lets the call pass. */
export function isLate(err: unknown): boolean {
  return isGatewayError(err) && err.code === "deadline_exceeded";
}

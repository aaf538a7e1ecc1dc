import { isGatewayError } from "@gatehouse/errors";
import type { InspectedText } from "./guardrail-client.ts";

/** UTF-16 units of a question beyond which it may wait for a thread of the guardrails. */
const longTextUnits = 32 * 1024;
/** Time that such a question has besides: a wait of 2.5 s and work of 2 s, after which the guardrails themselves refuse. */
const longTextMsMax = 5_000;

/** Whether texts may wait for a thread. */
export function areLong(texts: readonly InspectedText[]): boolean {
  return texts.reduce((total, { text }) => total + text.length, 0) > longTextUnits;
}

/** Time of a question: `timeoutMs`, and more where its texts are long. */
export function deadlineMs(timeoutMs: number, isLong: boolean): number {
  return timeoutMs + (isLong ? longTextMsMax : 0);
}

/** Whether a question was not answered in its time. */
export function isLate(err: unknown): boolean {
  return isGatewayError(err) && err.code === "deadline_exceeded";
}

import { setTimeout as delay } from "node:timers/promises";

/**
 * Lets time pass in a test, for a reason that is no condition: a promised bound, a span of load, or a span in which nothing is to
 * happen, long beside the time that a fault would take to show.
 * @param _reason for the reader
 */
export async function lapse(ms: number, _reason: string): Promise<void> {
  await delay(ms);
}

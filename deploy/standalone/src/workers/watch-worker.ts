import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "./worker-process.ts";

/** Time for the answer to one question, and from one to the next. */
const probeMs = 1_000;
/**
 * Unanswered questions in a row before a worker is killed: 20 s. A count rather than a time, so that a primary that was frozen itself
 * blames no worker.
 */
export const lateProbesMax = 20;

/** Waits until the next question is due, or the worker has ended. */
type Pause = (signal: AbortSignal) => Promise<unknown>;

const untilNextProbe: Pause = async (signal) => await delay(probeMs, undefined, { signal, ref: false }).catch(() => {});

/**
 * Asks a worker every second whether it works, until it ends, and kills one that does not answer: frozen, or in an endless loop.
 * The kernel would go on giving it connections. @returns whether it was killed.
 */
export async function watchWorker(
  { link, ended, kill }: Pick<Worker, "link" | "ended" | "kill">,
  pause = untilNextProbe,
): Promise<boolean> {
  const end = new AbortController();
  void ended.then(() => end.abort());
  for (let late = 0; late < lateProbesMax;) {
    const asked = link.ask("alive", null, probeMs);
    const [answer] = await Promise.allSettled([asked, pause(end.signal)]);
    if (end.signal.aborted) return false;
    late = answer.status === "fulfilled" ? 0 : late + 1;
  }
  kill();
  return true;
}

import { setTimeout as delay } from "node:timers/promises";
import type { Balancer } from "./balancer.ts";
import type { Tally } from "./tally.ts";
import { sendCall, type Traffic } from "./traffic.ts";

export interface LoadOptions {
  readonly traffic: Traffic;
  readonly balancer: Balancer;
  /** Calls a second. */
  readonly rate: number;
  readonly tally: Tally;
}

/** Interval at which calls that are due are sent. */
const turnMs = 5;

/** Sends calls at a steady rate, whether they are answered or not, until the signal fires; then waits for their ends. */
export async function runLoad({ traffic, balancer, rate, tally }: LoadOptions, signal: AbortSignal): Promise<void> {
  const order = toOrder(traffic);
  const calls: Promise<void>[] = [];
  const beganMs = performance.now();
  while (!signal.aborted) {
    const due = ((performance.now() - beganMs) / 1_000) * rate;
    while (calls.length < due) {
      const kind = order[calls.length % order.length];
      if (kind !== undefined) calls.push(sendCall(kind, balancer.choose(), tally));
    }
    await delay(turnMs);
  }
  await Promise.all(calls);
}

const orderLength = 20;

/** Kinds by their shares, spread evenly. */
function toOrder({ kinds }: Traffic) {
  const owed = kinds.map(() => 0);
  return Array.from({ length: orderLength }, () => {
    kinds.forEach(({ share }, at) => (owed[at] = (owed[at] ?? 0) + share));
    const next = owed.indexOf(Math.max(...owed));
    owed[next] = (owed[next] ?? 0) - 1;
    return kinds[next];
  }).filter((kind) => kind !== undefined);
}

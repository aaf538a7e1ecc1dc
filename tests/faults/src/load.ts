import { setTimeout as delay } from "node:timers/promises";
import type { Balancer } from "./balancer.ts";
import type { Tally } from "./tally.ts";
import { type Kind, sendCall, type Traffic } from "./traffic.ts";

export interface LoadOptions {
  readonly traffic: Pick<Traffic, "kinds">;
  readonly balancer: Pick<Balancer, "choose">;
  /** Calls per second. */
  readonly rate: number;
  readonly tally: Tally;
}

/** Interval of sending due calls. */
const turnMs = 5;

/**
 * Seconds of calls that may be under way at once. `fetch` looks through all connections of a host for each call, so a driver that
 * was held up and then sent all that it owed would be held up longer each time.
 */
const owedSecondsMax = 10;

/**
 * Sends calls at a steady rate, whether they are answered or not, until the signal fires; then waits for their ends. One that
 * finds {@link owedSecondsMax} of calls under way counts as failed.
 */
export async function runLoad(
  { traffic, balancer, rate, tally }: LoadOptions,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Promise<void> {
  const order = toOrder(traffic);
  const calls: Promise<void>[] = [];
  const beganMs = now();
  while (!signal.aborted) {
    const due = ((now() - beganMs) / 1_000) * rate;
    while (calls.length < due) {
      const kind = order[calls.length % order.length];
      if (kind === undefined) throw new RangeError("The traffic has no kind of call.");
      const isSent = tally.inFlight < rate * owedSecondsMax;
      calls.push(isSent ? sendCall(kind, balancer.choose(), tally) : leaveOut(kind, tally));
    }
    await delay(turnMs);
  }
  await Promise.all(calls);
}

async function leaveOut({ name }: Kind, tally: Tally): Promise<void> {
  tally.calls += 1;
  tally.fail({ outcome: `${name} not sent`, sentAt: new Date(), tookMs: 0, reply: "" });
  return await Promise.resolve();
}

const orderLength = 20;

/** Kinds by their shares, evenly interleaved. */
function toOrder({ kinds }: Pick<Traffic, "kinds">) {
  const owed = kinds.map(() => 0);
  return Array.from({ length: orderLength }, () => {
    kinds.forEach(({ share }, at) => (owed[at] = (owed[at] ?? 0) + share));
    const next = owed.indexOf(Math.max(...owed));
    owed[next] = (owed[next] ?? 0) - 1;
    return kinds[next];
  }).filter((kind) => kind !== undefined);
}

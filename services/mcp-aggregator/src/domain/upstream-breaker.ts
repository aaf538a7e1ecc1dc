import { CircuitBreaker } from "@gatehouse/upstream-http";

/** Transport failures in a row that open the circuit. */
const failuresMax = 3;
const openMs = 5_000;
const openMsMax = 60_000;
const jitterShare = 0.2;

/** Keeps calls from an upstream that cannot be reached. `random` gives numbers from 0 up to 1. */
export function createUpstreamBreaker(now: () => number, random: () => number): CircuitBreaker {
  return new CircuitBreaker({ failuresMax, openMs, openMsMax, now, jitter: { share: jitterShare, random } });
}

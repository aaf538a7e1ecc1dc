const steps = 10;

/**
 * Calls `end` once, after `ms` milliseconds in which this process ran: a span in which the process had no processor counts as a tenth
 * of them at most, and what arrived in it is read before the next step. For bounds on a peer's answer: a starved process then
 * blames no peer that has answered.
 * @returns stops the countdown
 */
export function startCountdown(ms: number, end: () => void): () => void {
  let left = steps;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    end();
  }, ms / steps);
  return () => clearInterval(timer);
}

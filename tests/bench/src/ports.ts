import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

/** Polls each address until one answers 200.  @throws Error when the process ends, or `timeoutMs` have passed */
export async function waitUntilAnswers(
  urls: readonly string[],
  { child, timeoutMs }: { readonly child: ChildProcess; readonly timeoutMs: number },
): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await delay(50)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended with ${child.exitCode ?? child.signalCode}`);
    for (const url of urls) if ((await statusOf(url)) === 200) return;
  }
  throw new Error(`${urls.join(" and ")} did not answer 200 within ${timeoutMs / 1000} s`);
}

/** Status of the answer; 0: none. */
function statusOf(url: string): Promise<number> {
  return fetch(url, { signal: AbortSignal.timeout(2000) }).then(
    async (res) => {
      await res.arrayBuffer();
      return res.status;
    },
    () => 0,
  );
}

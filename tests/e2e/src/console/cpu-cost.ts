import type { Page } from "playwright-core";
import { slownessOf, timeReferenceWorkload } from "../reference-workload.ts";

/** Cost of a page's work. */
export interface CpuCost<Result> {
  /** CPU time of the page's main thread: scripts, styles and layout; independent of other programs. */
  readonly cpuMs: number;
  /** Equivalent on the reference machine, by the time of a fixed workload here. */
  readonly referenceMs: number;
  readonly result: Result;
}

/** Measures the main thread of a page while it does something. */
export async function measureCpu<Result>(page: Page, act: () => Promise<Result>): Promise<CpuCost<Result>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
  await session.send("Performance.enable");
  const taskSeconds = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
  };
  const workloadMs = timeReferenceWorkload();
  const before = await taskSeconds();
  const result = await act();
  const cpuMs = ((await taskSeconds()) - before) * 1_000;
  await session.detach();
  // The faster of two: other programs during one of them must not increase the allowance.
  const slowness = slownessOf(Math.min(workloadMs, timeReferenceWorkload()));
  return { cpuMs, referenceMs: cpuMs / slowness, result };
}

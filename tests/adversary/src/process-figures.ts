import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** CPU time of a process since it began, all threads, ms; those that have ended are counted as far as they were seen. */
export class CpuMeter {
  readonly #pid: number;
  readonly #threads = new Map<string, number>();

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** The scheduler's nanoseconds of every thread; ticks of 10 ms would be too coarse for a request. */
  readMs(): number {
    const folder = `/proc/${this.#pid}/task`;
    for (const thread of readdirSync(folder)) {
      const text = readIfPresent(`${folder}/${thread}/schedstat`);
      if (text !== undefined) this.#threads.set(thread, Number(text.split(" ")[0]) / 1e6);
    }
    return [...this.#threads.values()].reduce((sum, ms) => sum + ms, 0);
  }
}

/** How long the main thread has run, and has waited for a core, since the process began, ms. */
export function readMainThread(pid: number): { readonly ranMs: number; readonly waitedMs: number } {
  const [ran = 0, waited = 0] = (readIfPresent(`/proc/${pid}/schedstat`) ?? "").split(" ").map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}

/** CPU time of all threads as the kernel sums it, ms, in steps of 10. */
export function readTickedCpuMs(pid: number): number {
  const text = readIfPresent(`/proc/${pid}/stat`) ?? "";
  // The name may hold spaces and parentheses; the fields after it are counted from its end.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export interface Memory {
  readonly residentBytes: number;
  /** The most since the last call of {@link resetPeak}. */
  readonly peakBytes: number;
}

export function readMemory(pid: number): Memory {
  const text = readIfPresent(`/proc/${pid}/status`) ?? "";
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0) * 1024;
  return { residentBytes: bytesOf("VmRSS"), peakBytes: bytesOf("VmHWM") };
}

/** Starts the kernel's high-water mark of resident memory at the present value (`proc_pid_clear_refs(5)`). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** A thread or process may end between being listed and being read. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

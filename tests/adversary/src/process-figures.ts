import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** V8's helper threads, which collect garbage and compile in parallel; their work is not attributable to a request. */
const engineThreads: ReadonlySet<string> = new Set(["V8Worker", "DelayedTaskSche"]);

/** CPU time by kind of thread, milliseconds. */
export interface CpuTime {
  /** Threads that run the product's code, including workers and the thread pool. */
  readonly programMs: number;
  readonly engineMs: number;
}

/** CPU time of a process since its start; ended threads count as far as they were seen. */
export class CpuMeter {
  readonly #pid: number;
  readonly #threads = new Map<string, { readonly isEngine: boolean; ms: number }>();

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** The scheduler's nanoseconds of every thread; ticks of 10 ms are too coarse for a request. */
  read(): CpuTime {
    for (const thread of listIfPresent(`/proc/${this.#pid}/task`)) this.#readThread(thread);
    const time = { programMs: 0, engineMs: 0 };
    for (const { isEngine, ms } of this.#threads.values()) time[isEngine ? "engineMs" : "programMs"] += ms;
    return time;
  }

  #readThread(thread: string): void {
    const folder = `/proc/${this.#pid}/task/${thread}`;
    const text = readIfPresent(`${folder}/schedstat`);
    if (text === undefined) return;
    const ms = Number(text.split(" ")[0]) / 1e6;
    const known = this.#threads.get(thread);
    if (known === undefined) {
      const isEngine = engineThreads.has((readIfPresent(`${folder}/comm`) ?? "").trim());
      this.#threads.set(thread, { isEngine, ms });
    } else known.ms = ms;
  }
}

/** Time for which the main thread has run and has waited for a core since the start, milliseconds. */
export function readMainThread(pid: number): { readonly ranMs: number; readonly waitedMs: number } {
  const [ran = 0, waited = 0] = (readIfPresent(`/proc/${pid}/schedstat`) ?? "").split(" ").map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}

/** Time for which the other threads of a process have run since its start, milliseconds, from the scheduler's nanoseconds. */
export function readOtherThreadsMs(pid: number): number {
  const others = listIfPresent(`/proc/${pid}/task`).filter((thread) => thread !== String(pid));
  const texts = others.map((thread) => readIfPresent(`/proc/${pid}/task/${thread}/schedstat`) ?? "");
  return texts.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;
}

/** CPU time of all threads by the kernel, milliseconds, in steps of 10. */
export function readTickedCpuMs(pid: number): number {
  const text = readIfPresent(`/proc/${pid}/stat`) ?? "";
  // The name may contain spaces and parentheses, so fields are counted after its end.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export interface Memory {
  readonly residentBytes: number;
  /** Peak since the last call of {@link resetPeak}. */
  readonly peakBytes: number;
}

export function readMemory(pid: number): Memory {
  const text = readIfPresent(`/proc/${pid}/status`) ?? "";
  const bytesOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0) * 1024;
  return { residentBytes: bytesOf("VmRSS"), peakBytes: bytesOf("VmHWM") };
}

/** Resets the kernel's peak of resident memory to the present value (`proc_pid_clear_refs(5)`). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function listIfPresent(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A thread or process may end between being listed and being read. */
function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

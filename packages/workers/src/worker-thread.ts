import { Worker } from "node:worker_threads";
import { isSource } from "./task-module.ts";

/** Data of a new thread: the URL of its task module, as text. */
export interface ThreadData {
  readonly module: string;
}

/** Report of a thread: its module is loaded, or its task's result. */
export type ThreadReport =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly output: unknown }
  | { readonly kind: "refused"; readonly wire: Uint8Array }
  | { readonly kind: "failed"; readonly message: string; readonly stack: string | undefined };

interface WorkerThreadListener {
  readonly onReport: (report: ThreadReport) => void;
  /** Called once, last, for any cause. */
  readonly onExit: (cause: unknown) => void;
}

/** One thread that runs a task module. It keeps the process alive only while it is `held`. */
export class WorkerThread {
  readonly #worker: Worker;

  /** @param heapMibLimit limit at which V8 ends the thread: a last resort, since an allocation far beyond it ends the process */
  constructor(name: string, module: URL, heapMibLimit: number, { onReport, onExit }: WorkerThreadListener) {
    const fromSource = isSource(import.meta.url);
    this.#worker = new Worker(new URL(fromSource ? "./thread-main.ts" : "./thread-main.js", import.meta.url), {
      name,
      workerData: { module: module.href } satisfies ThreadData,
      execArgv: fromSource ? ["--conditions=@gatehouse/source"] : [],
      // Without an environment: a task needs no settings, and secrets are among them.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMibLimit },
    });
    let cause: unknown;
    this.#worker
      .on("message", onReport)
      .on("messageerror", (err) => {
        cause = err;
        this.end();
      })
      .on("error", (err) => (cause = err))
      .on("exit", (code) => onExit(cause ?? new Error(`The worker thread ended with code ${code}.`)))
      .unref();
  }

  /** @throws DataCloneError for an input that cannot be copied. */
  post(input: unknown): void {
    this.#worker.postMessage(input);
    this.#worker.ref();
  }

  /** Bytes in use inside and outside of the heap; available even while the thread's code does not yield. 0 for an ended one. */
  async usedBytes(): Promise<number> {
    try {
      const { used_heap_size: inside, external_memory: outside } = await this.#worker.getHeapStatistics();
      return inside + outside;
    } catch {
      return 0;
    }
  }

  letGo(): void {
    this.#worker.unref();
  }

  end(): void {
    void this.#worker.terminate();
  }
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** Wall clocks of processes, which can be set while they run; monotonic clocks are unaffected. */
export interface Clocks {
  /** Environment of processes whose clocks can be set. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the clock of a process to an offset from the true time. */
  set(pid: number, offMs: number): Promise<void>;
  remove(): Promise<void>;
}

export async function prepareClocks(): Promise<Clocks> {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-clocks-"));
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL("./stepped-clock.mjs", import.meta.url).href}`,
      CLOCK_STEPS_FOLDER: folder,
    },
    async set(pid, offMs) {
      await writeFile(join(folder, String(pid)), String(offMs));
      process.kill(pid, "SIGUSR2");
    },
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}

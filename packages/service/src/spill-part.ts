import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "@gatehouse/config";
import { findFolderProblem } from "@gatehouse/spill";
import type { Part } from "./part.ts";

/** Ending of the file that says which process uses a folder. */
export const processMarkExtension = ".process";

/**
 * Proves a folder for what waits on disk by a write: one that cannot be written stops the start, and is a notice afterwards, since
 * the folder is used only while something else is away, and a full disk that took every replica would be the greater outage. A folder
 * that another process of the service uses is a notice too: the rows that the one writes, the other may remove.
 */
export function createSpillPart(folder: string, service: string): Part {
  const file = join(folder, service + processMarkExtension);
  let others: readonly string[] = [];
  return {
    name: "spill folder",
    async start() {
      const problem = await findFolderProblem(folder);
      if (problem !== undefined)
        throw new ConfigError([
          `SPILL_FOLDER must be a folder that this process can write to: ${folder} (${problem}).`,
        ]);
      others = [await readMark(file)].filter((mark) => mark !== "");
      await writeFile(file, await markOf(process.pid), { mode: 0o600 });
    },
    async stop() {
      if ((await readMark(file)) === (await markOf(process.pid))) await rm(file, { force: true });
    },
    async notices() {
      const problem = await findFolderProblem(folder);
      if (problem !== undefined) return [`the spill folder ${folder} cannot be written (${problem})`];
      const marks = new Set([...others, await readMark(file)]);
      const alive = await Promise.all(Array.from(marks, async (mark) => await findOther(mark)));
      return alive.flatMap((pid) =>
        pid === undefined
          ? []
          : [`the spill folder ${folder} is also used by process ${pid} of ${service}: give each another`],
      );
    },
  };
}

async function readMark(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => "");
}

/** The id of a process with the time of its start, which a later process with the same id does not have; empty where neither is known. */
async function markOf(pid: number): Promise<string> {
  // The name of the program, in parentheses, may hold anything; the start is the 22nd field of all (proc(5)).
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return started === undefined ? "" : `${pid} ${started}`;
}

/** The process that has left a mark, where it is another one that still runs on this machine. */
async function findOther(mark: string): Promise<number | undefined> {
  const pid = Number(mark.split(" ")[0]);
  if (mark === "" || pid === process.pid) return undefined;
  return (await markOf(pid)) === mark ? pid : undefined;
}

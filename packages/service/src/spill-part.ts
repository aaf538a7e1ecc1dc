import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Part } from "./part.ts";
import { folderNotices, requireFolder } from "./writable-folder.ts";

/** Extension of the file that names a folder's process. */
export const processMarkExtension = ".process";

/**
 * Checks a spill folder by a write. A failure stops the start, and later is only a notice: the folder is needed only during
 * another outage, and a full disk should not stop every replica. A folder that another process of the service uses is a notice
 * too, since each may remove the other's rows.
 */
export function createSpillPart(folder: string, service: string): Part {
  const writable = { path: folder, setting: "SPILL_FOLDER", title: "spill" };
  const file = join(folder, service + processMarkExtension);
  let others: readonly string[] = [];
  return {
    name: "spill folder",
    async start() {
      await requireFolder(writable);
      others = [await readMark(file)].filter((mark) => mark !== "");
      await writeFile(file, await markOf(process.pid), { mode: 0o600 });
    },
    async stop() {
      if ((await readMark(file)) === (await markOf(process.pid))) await rm(file, { force: true });
    },
    async notices() {
      const unwritable = await folderNotices(writable);
      if (unwritable.length > 0) return unwritable;
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

/** The id of a process with its start time, which distinguishes it from a later process with the same id; empty where unknown. */
async function markOf(pid: number): Promise<string> {
  // The program's name, in parentheses, may contain anything; the start time is field 22 (proc(5)).
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return started === undefined ? "" : `${pid} ${started}`;
}

/** The running process of this machine, other than this one, that wrote a mark. */
async function findOther(mark: string): Promise<number | undefined> {
  const pid = Number(mark.split(" ")[0]);
  if (mark === "" || pid === process.pid) return undefined;
  return (await markOf(pid)) === mark ? pid : undefined;
}

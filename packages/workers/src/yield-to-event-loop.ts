import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** Nice value of threads: at 10, the kernel gives the event loop about nine times as much of a core that both want. */
export const threadNice = 10;

/**
 * Lowers the priority of the calling thread below that of the event loop, so that costly work waits for cores before the requests of
 * others do. Only Linux has priorities of threads; elsewhere, or where the kernel refuses, the thread stays as it is.
 */
export function yieldToEventLoop(): void {
  try {
    // `<process>/task/<thread>`: the kernel takes a thread's number where it takes that of a process.
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.max(getPriority(thread), threadNice));
  } catch {
    // The work is the same at any priority.
  }
}

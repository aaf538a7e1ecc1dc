import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** Nice value of threads: at 10, the kernel gives the event loop about nine times as much of a contended core. */
export const threadNice = 10;

/**
 * Lowers the priority of the calling thread below the event loop's, so that expensive work waits for cores before requests do.
 * Only Linux has thread priorities; elsewhere, or where the kernel refuses, nothing changes.
 */
export function yieldToEventLoop(): void {
  try {
    // `<process>/task/<thread>`: the kernel accepts a thread's id like a process's.
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    setPriority(thread, Math.max(getPriority(thread), threadNice));
  } catch {
    // The work is the same at any priority.
  }
}

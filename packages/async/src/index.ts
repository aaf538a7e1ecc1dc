export { Batcher, type BatcherBounds } from "./batcher.ts";
export { createMutex, Semaphore, type RunExclusively } from "./semaphore.ts";

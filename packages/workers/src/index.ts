export { FairQueue, type FairQueueBounds } from "./fair-queue.ts";
export { type Task, taskModule } from "./task-module.ts";
export { type RunOptions, WorkerPool, type WorkerPoolOptions } from "./worker-pool.ts";

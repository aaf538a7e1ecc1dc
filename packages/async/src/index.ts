export { andThen } from "./and-then.ts";
export { ArraySet } from "./array-set.ts";
export { Batcher, type BatcherBounds } from "./batcher.ts";
export { inCheckPhase } from "./check-phase.ts";
export { guarded, throwUncaught } from "./guarded.ts";
export { RequestMap } from "./request-map.ts";
export { Repetition } from "./repetition.ts";
export { backoff, backoffBounds, pause, unlessAborted } from "./pause.ts";
export { createMutex, Semaphore, type RunExclusively } from "./semaphore.ts";

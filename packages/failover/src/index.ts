export { continueStream } from "./continue-stream.ts";
export { type AttemptPlace, type FailedAttempt, Failover, type FailoverBounds, toCallError } from "./failover.ts";
export { FirstTokenTimeout } from "./first-token-timeout.ts";
export type { ReadyTarget, ResolvedTarget, Target } from "./resolved-target.ts";
export { endWithReply, setAnswerAttributes, startAttemptSpan } from "./attempt-span.ts";
export type { CompleteReply, EmbeddingsReply, Reply, StreamReply } from "./reply.ts";

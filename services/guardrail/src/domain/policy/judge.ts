import type { CompiledPolicy } from "./compile-policy.ts";
import type { InspectRequest, Verdict } from "./verdict.ts";

/** Turn of a text where long ones wait for a thread, and until when its caller waits for it. */
export interface JudgeOptions {
  /** A project, for its calls. */
  readonly tenant: string;
  /** Read only where a text waits for a thread: within one process the signal is made when it is asked for. */
  readonly call?: { readonly signal: AbortSignal };
}

/** Judges texts by a policy; without a promise where it can. */
export type Judge = (
  policy: CompiledPolicy,
  request: InspectRequest,
  options: JudgeOptions,
) => Verdict | Promise<Verdict>;

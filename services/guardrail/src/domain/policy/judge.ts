import type { CompiledPolicy } from "./compile-policy.ts";
import type { InspectRequest, Verdict } from "./verdict.ts";

/** Owner of texts, their turn where long ones wait for a thread, and until when their caller waits for them. */
export interface JudgeOptions {
  /** The project whose texts they are: what was found in them before is known to it alone. */
  readonly project: string;
  /** In whose turn they wait; absent: the project's. */
  readonly tenant?: string;
  /** Read only where a text waits for a thread: within one process the signal is made when it is asked for. */
  readonly call?: { readonly signal: AbortSignal };
}

/** Judges texts by a policy; without a promise where it can. */
export type Judge = (
  policy: CompiledPolicy,
  request: InspectRequest,
  options: JudgeOptions,
) => Verdict | Promise<Verdict>;

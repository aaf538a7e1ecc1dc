import type { CompiledPolicy } from "./compile-policy.ts";
import type { InspectRequest, Verdict } from "./verdict.ts";

/** Owner of texts, the tenant whose turn long ones take for a thread, and the signal of their caller. */
export interface JudgeOptions {
  /** Project that owns the texts; remembered outcomes are used for it alone. */
  readonly project: string;
  /** Tenant whose turn they take; absent: the project. */
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

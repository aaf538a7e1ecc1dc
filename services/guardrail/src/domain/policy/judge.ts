import type { CompiledPolicy } from "./compile-policy.ts";
import type { InspectRequest, Verdict } from "./verdict.ts";

/** Whose texts are judged, and until when somebody waits for it. */
export interface JudgeOptions {
  readonly projectUuid: string;
  readonly signal?: AbortSignal;
}

/** Judges texts by a policy; without a promise where it can. */
export type Judge = (
  policy: CompiledPolicy,
  request: InspectRequest,
  options: JudgeOptions,
) => Verdict | Promise<Verdict>;

import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import { isLarge, nextTurn } from "@gatehouse/pace";
import { type Call, type CallInput, createCall, type Outcome, type Reply, required } from "./call.ts";

/** A step lets a call proceed by returning nothing, or refuses it by returning the error. */
export type Verdict = GatewayError | undefined;

export interface Step {
  readonly name: string;
  enter(call: Call): Verdict | Promise<Verdict>;
  /**
   * The step's second half, run once in reverse order for every step that a call has entered, however the call ended.
   * What it throws makes an answered call fail; the other steps are left all the same.
   */
  leave?(call: Call, outcome: Outcome): void | Promise<void>;
}

/**
 * A call that has been answered or is being streamed. Whoever sends the reply calls `finish` once, before the reply's end
 * is sent, and sends the error instead where it answers with one.
 */
export interface RunningCall {
  readonly call: Call;
  readonly reply: Reply;
  readonly finish: (outcome: Outcome) => Promise<GatewayError | undefined>;
}

export type RunResult =
  | { readonly kind: "replying"; readonly running: RunningCall }
  | { readonly kind: "refused"; readonly call: Call; readonly error: GatewayError };

/** Runs a call through the steps in order, up to the reply or the first refusal. Never throws. */
export async function runPipeline(steps: readonly Step[], input: CallInput): Promise<RunResult> {
  const call = createCall(input);
  let entered = 0;
  for (const step of steps) {
    entered += 1;
    // Most steps answer at once; waiting for those too would cost each of them a turn of the microtask queue.
    const verdict = enterStep(step, call);
    const refusal = verdict instanceof Promise ? await verdict.catch(toGatewayError) : verdict;
    if (isLarge(call.request?.bodyBytes)) await nextTurn();
    if (refusal === undefined) continue;
    await leaveSteps(steps.slice(0, entered), call, outcomeOf(refusal));
    return { kind: "refused", call, error: refusal };
  }
  const finish = async (outcome: Outcome) => await leaveSteps(steps, call, outcome);
  return { kind: "replying", running: { call, reply: required(call.reply, "the reply"), finish } };
}

/** A call that its caller gave up has not failed. */
function outcomeOf(refusal: GatewayError): Outcome {
  return refusal.code === "cancelled" ? { kind: "abandoned" } : { kind: "failed", error: refusal };
}

function enterStep(step: Step, call: Call): Verdict | Promise<Verdict> {
  try {
    return step.enter(call);
  } catch (err) {
    return toGatewayError(err);
  }
}

async function leaveSteps(steps: readonly Step[], call: Call, outcome: Outcome): Promise<GatewayError | undefined> {
  let failure: GatewayError | undefined;
  for (const step of steps.toReversed()) {
    try {
      const left = step.leave?.(call, failure === undefined ? outcome : { kind: "failed", error: failure });
      if (left instanceof Promise) await left;
      if (isLarge(call.request?.bodyBytes)) await nextTurn();
    } catch (err) {
      failure ??= toGatewayError(err);
    }
  }
  return failure;
}

import { type GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { isLarge, nextTurn } from "@gatehouse/pace";
import { type Answered, type CallInput, type Outcome, receive, type Received } from "./call.ts";

/** Result of a step: members to add to the call, if any, or the error that refuses it. */
export type Verdict<Adds extends object | undefined = undefined> = GatewayError | Adds;

/** One step. Takes calls of the stage `Known`, and adds `Adds` to those that proceed. */
export interface Step<Known extends Received = Received, Adds extends object | undefined = undefined> {
  readonly name: string;
  // A property, not a method: method parameters are bivariant, so the compiler would accept an earlier stage.
  readonly enter: (call: Known) => Verdict<Adds> | Promise<Verdict<Adds>>;
  /**
   * Second half of the step, run in reverse order for every step that a call has entered, whatever its result. An error makes an
   * answered call fail; the remaining steps still run.
   */
  readonly leave?: (call: Known, outcome: Outcome) => void | Promise<void>;
}

/** A step of a list whose order has been checked. */
export type ListedStep = Step<Received, object | undefined>;

type With<Known extends Received, Adds extends object | undefined> = Known & (Adds extends object ? Adds : unknown);

/** Steps in an order that gives each the stage it requires. */
export class StepList<Known extends Received> {
  readonly steps: readonly ListedStep[];
  /** The stage reached; for the compiler alone, so that a shorter list is not assignable to a longer one. */
  declare readonly reached: Known;

  private constructor(steps: readonly ListedStep[]) {
    this.steps = steps;
  }

  static readonly empty: StepList<Received> = new StepList<Received>([]);

  /** Appends a step, which may require what earlier steps have added. */
  add<Adds extends object | undefined>(step: Step<Known, Adds>): StepList<With<Known, Adds>> {
    // Safe cast: steps run in order, and none runs after a refusal.
    return new StepList<With<Known, Adds>>([...this.steps, step as unknown as ListedStep]);
  }

  /** Makes the pipeline; compiles only where the last stage is an answered call. */
  toPipeline(this: StepList<Answered>, judgeError: JudgeError): Pipeline {
    return { steps: this.steps, judgeError };
  }
}

/** Steps in their order of entry, which the compiler has checked (`StepList.toPipeline`); left in reverse order. */
export interface Pipeline {
  readonly steps: readonly ListedStep[];
  readonly judgeError: JudgeError;
}

/** Returns the error of a call as its caller may see it. */
export type JudgeError = (call: Received, error: GatewayError) => Promise<GatewayError>;

/**
 * A call that has been answered or is being streamed. The sender of the reply calls `finish` once before the end of the reply,
 * and sends the error that `finish` may return.
 */
export interface RunningCall {
  readonly call: Answered;
  readonly finish: (outcome: Outcome) => FinishFailure | Promise<FinishFailure>;
  /** Returns the error that has broken the reply as the caller may see it. */
  readonly judgeError: (error: GatewayError) => Promise<GatewayError>;
}

type FinishFailure = GatewayError | undefined;

type RunResult =
  | { readonly kind: "replying"; readonly running: RunningCall }
  | { readonly kind: "refused"; readonly call: Received; readonly error: GatewayError };

/** Shorter steps are not logged, milliseconds. */
const slowStepMsMin = 1;

/** Runs a call through the steps, up to the reply or the first refusal. Never throws. */
export async function runPipeline({ steps, judgeError }: Pipeline, input: CallInput): Promise<RunResult> {
  const call = receive(input);
  let enteredAt = performance.now();
  // By index: where a loop awaits, V8 makes an object for each step of an iterator.
  for (let at = 0, step = steps[at]; step !== undefined; at += 1, step = steps[at]) {
    let known: Verdict<object | undefined>;
    let isSlow = false;
    try {
      const verdict = step.enter(call);
      // Most steps are synchronous; an `await` would cost each a turn of the microtask queue.
      isSlow = verdict instanceof Promise;
      known = verdict instanceof Promise ? await verdict : verdict;
    } catch (err) {
      known = toGatewayError(err);
    }
    const large = isLarge(call.request?.bodyBytes);
    if (large) await nextTurn();
    if (large || isSlow) enteredAt = recordTime(call, step, enteredAt);
    if (known === undefined) continue;
    if (isGatewayError(known)) {
      call.refusedBy = step.name;
      await leaveSteps({ steps, call, at, outcome: outcomeOf(known), failure: undefined });
      return { kind: "refused", call, error: await judgeError(call, known) };
    }
    Object.assign(call, known);
  }
  const finish = (outcome: Outcome) => leaveSteps({ steps, call, at: steps.length - 1, outcome, failure: undefined });
  // Safe cast: a pipeline's last stage is `Answered`.
  const running = { call: call as Answered, finish, judgeError: (error: GatewayError) => judgeError(call, error) };
  return { kind: "replying", running };
}

/** A call that its caller cancelled has not failed. */
function outcomeOf(refusal: GatewayError): Outcome {
  return refusal.code === "cancelled" ? { kind: "abandoned" } : { kind: "failed", error: refusal };
}

/** Records the duration of a slow step, including the fast steps before it. @returns the present time */
function recordTime(call: Received, { name }: ListedStep, enteredAt: number): number {
  const leftAt = performance.now();
  if (leftAt - enteredAt >= slowStepMsMin) call.slowSteps.push({ name, durationMs: leftAt - enteredAt });
  return leftAt;
}

interface Leaving {
  readonly steps: readonly ListedStep[];
  readonly call: Received;
  /** Index of the step to leave next. */
  at: number;
  readonly outcome: Outcome;
  failure: GatewayError | undefined;
}

/** Leaves steps in reverse order, synchronously up to the first that returns a promise. */
function leaveSteps(leaving: Leaving): FinishFailure | Promise<FinishFailure> {
  const { steps, call, outcome } = leaving;
  const isSlow = isLarge(call.request?.bodyBytes);
  while (leaving.at >= 0) {
    const step = steps[leaving.at];
    leaving.at -= 1;
    try {
      const left = step?.leave?.(call, leaving.failure === undefined ? outcome : failedBy(leaving.failure));
      if (left instanceof Promise || isSlow) return leaveLater(leaving, left);
    } catch (err) {
      leaving.failure ??= toGatewayError(err);
    }
  }
  return leaving.failure;
}

/** Continues after an asynchronous step; after a large body, other requests run first. */
async function leaveLater(leaving: Leaving, left: void | Promise<void>): Promise<FinishFailure> {
  try {
    await left;
    if (isLarge(leaving.call.request?.bodyBytes)) await nextTurn();
  } catch (err) {
    leaving.failure ??= toGatewayError(err);
  }
  return await leaveSteps(leaving);
}

function failedBy(error: GatewayError): Outcome {
  return { kind: "failed", error };
}

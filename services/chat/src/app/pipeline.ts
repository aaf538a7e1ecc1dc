import { type GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { isLarge, nextTurn } from "@gatehouse/pace";
import { type Answered, type CallInput, type Outcome, receive, type Received } from "./call.ts";

/** A step lets a call proceed with what it adds to it, if anything, or refuses it by returning the error. */
export type Verdict<Adds extends object | undefined = undefined> = GatewayError | Adds;

/** One step, for calls of the stage `Known`, which have what it adds when it has let them proceed. */
export interface Step<Known extends Received = Received, Adds extends object | undefined = undefined> {
  readonly name: string;
  // A property and not a method: the compiler compares parameters of methods both ways, and would let an earlier stage pass.
  readonly enter: (call: Known) => Verdict<Adds> | Promise<Verdict<Adds>>;
  /**
   * The step's second half, run once in reverse order for every step that a call has entered, however the call ended.
   * What it throws makes an answered call fail; the other steps are still left.
   */
  readonly leave?: (call: Known, outcome: Outcome) => void | Promise<void>;
}

/** A step in a list that has proven its order. */
export type ListedStep = Step<Received, object | undefined>;

/** A stage with what a step has added. */
type With<Known extends Received, Adds extends object | undefined> = Known & (Adds extends object ? Adds : unknown);

/** Steps in an order in which each finds what it needs. */
export class StepList<Known extends Received> {
  readonly steps: readonly ListedStep[];
  /** Type of the stage reached, for the compiler alone: keeps a shorter list from being taken for a longer one. */
  declare readonly reached: Known;

  private constructor(steps: readonly ListedStep[]) {
    this.steps = steps;
  }

  static readonly empty: StepList<Received> = new StepList<Received>([]);

  /** The list with a step at its end, which may need what the steps before it have added. */
  add<Adds extends object | undefined>(step: Step<Known, Adds>): StepList<With<Known, Adds>> {
    // The step's inputs are there: the list runs in order, and runs no step after a refusal.
    return new StepList<With<Known, Adds>>([...this.steps, step as unknown as ListedStep]);
  }

  /** The pipeline of these steps, which must end with an answer. */
  toPipeline(this: StepList<Answered>): Pipeline {
    return { steps: this.steps };
  }
}

/** Steps that lead a call from its arrival to an answer. */
export interface Pipeline {
  readonly steps: readonly ListedStep[];
}

/**
 * A call that has been answered or is being streamed. The sender of the reply calls `finish` once, before the reply's end, and
 * sends the error that `finish` may answer with.
 */
export interface RunningCall {
  readonly call: Answered;
  readonly finish: (outcome: Outcome) => FinishFailure | Promise<FinishFailure>;
}

/** Failure of a step after the answer, where one has failed. */
type FinishFailure = GatewayError | undefined;

type RunResult =
  | { readonly kind: "replying"; readonly running: RunningCall }
  | { readonly kind: "refused"; readonly call: Received; readonly error: GatewayError };

/** Steps that take less are not logged, ms. */
const slowStepMsMin = 1;

/** Runs a call through the steps in order, up to the reply or the first refusal. Never throws. */
export async function runPipeline({ steps }: Pipeline, input: CallInput): Promise<RunResult> {
  const call = receive(input);
  let entered = 0;
  let enteredAt = performance.now();
  for (const step of steps) {
    entered += 1;
    let known: Verdict<object | undefined>;
    let isSlow = false;
    try {
      const verdict = step.enter(call);
      // Most steps answer at once; waiting for those too would cost each of them a turn of the microtask queue.
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
      await leaveSteps({ steps, call, at: entered - 1, outcome: outcomeOf(known), failure: undefined });
      return { kind: "refused", call, error: known };
    }
    Object.assign(call, known);
  }
  const finish = (outcome: Outcome) => leaveSteps({ steps, call, at: steps.length - 1, outcome, failure: undefined });
  // A list of steps becomes a pipeline only where its last stage is this one.
  return { kind: "replying", running: { call: call as Answered, finish } };
}

/** A call that its caller gave up has not failed. */
function outcomeOf(refusal: GatewayError): Outcome {
  return refusal.code === "cancelled" ? { kind: "abandoned" } : { kind: "failed", error: refusal };
}

/** Notes a step that took long; those before it that answered at once count with it. @returns the time */
function recordTime(call: Received, { name }: ListedStep, enteredAt: number): number {
  const leftAt = performance.now();
  if (leftAt - enteredAt >= slowStepMsMin) call.slowSteps.push({ name, durationMs: leftAt - enteredAt });
  return leftAt;
}

interface Leaving {
  readonly steps: readonly ListedStep[];
  readonly call: Received;
  /** The step that is left next. */
  at: number;
  readonly outcome: Outcome;
  failure: GatewayError | undefined;
}

/** Leaves steps one after the other, without a promise up to the first step that returns one. */
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

/** Goes on when the step that was left has done its part; behind a large body, others have their turn before that. */
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

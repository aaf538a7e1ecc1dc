import type { ChatRequest } from "@gatehouse/dialects";
import type { ReadyTarget, Reply } from "@gatehouse/failover";
import type { JsonObject } from "@gatehouse/json";
import type { ChatMessage, CompletionUsage } from "@gatehouse/providers";
import type { TokenCounter } from "@gatehouse/tokens";
import type { AttemptLimit, CallBudget } from "./call-budget.ts";

/** The cost of one call with all of its attempts, in millionths of a US dollar. */
export interface CallCost {
  readonly costMicros: number;
  /** No price is known for the model, so the cost is 0. */
  readonly priceUnknown: boolean;
  /** A part of it was given up, and is billed at the most that it may have cost. */
  readonly isPresumed: boolean;
}

/** An attempt that a provider may have been paid for. */
export interface GivenUpAttempt {
  readonly target: ReadyTarget;
  /** Absent where the endpoint has no budget. */
  readonly limit: AttemptLimit | undefined;
  /** Text of its part of an answer that another target has continued. */
  readonly text?: string;
}

/** The part of a call's record that its bill is made of, and what the bill adds to it. */
export interface CallSpending {
  /** Messages sent to the model: prompt, history and the request's messages. */
  messages: readonly ChatMessage[] | undefined;
  reply: Reply | undefined;
  /** The target that answered. */
  answeredBy: ReadyTarget | undefined;
  /** The target of the latest attempt. */
  askedLast: ReadyTarget | undefined;
  /** Attempts that were sent and failed, and may still have cost something. */
  givenUp: readonly GivenUpAttempt[];
  /** The text of a reply that was streamed. */
  answer: string | undefined;
  /** Parts of a stream beside it: other choices, reasoning, tool calls. */
  answerBeside: string;
  usage: CompletionUsage | undefined;
  /** The provider reported no usage; the tokens were counted here. */
  isUsageEstimated: boolean;
  /** Bill of the call, once it is settled. */
  cost: CallCost | undefined;
  /** Budget of the call; absent where the endpoint has no budget. */
  budget: CallBudget | undefined;
  /** Limit of the attempt that is answered; absent likewise. */
  answerLimit: AttemptLimit | undefined;
  /** The provider's own figure of a whole stream, as soon as it has come; only noted where there is a budget. */
  figure: CompletionUsage | undefined;
  /** Whether a stream has ended well; likewise. */
  isStreamWhole: boolean;
}

/** A call that may have cost something. */
export interface BilledCall extends CallSpending {
  readonly requestId: string;
  /** The person behind the call, as the application names them outside of the body. */
  readonly user?: string | undefined;
  /** Counts what the call sends and receives; no message twice. */
  readonly tokens: TokenCounter;
  readonly request: ChatRequest;
  readonly compiled: {
    readonly endpoint: { readonly parameters: JsonObject | null; readonly outputSchema: JsonObject | null };
  };
}

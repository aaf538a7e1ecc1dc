import type { ChatRequest, GeneratedText } from "@gatehouse/dialects";
import type { ReadyTarget, Reply } from "@gatehouse/failover";
import type { JsonObject } from "@gatehouse/json";
import type { ChatMessage, CompletionUsage } from "@gatehouse/providers";
import type { TokenCounter } from "@gatehouse/tokens";
import type { AttemptLimit, CallBudget } from "./call-budget.ts";

/** Cost of one call with all of its attempts, in millionths of a US dollar. */
export interface CallCost {
  readonly costMicros: number;
  /** Whether the model's price is unknown; the cost is then 0. */
  readonly priceUnknown: boolean;
  /** Whether an abandoned part of it is billed at the most that it may have cost. */
  readonly isPresumed: boolean;
}

/** An attempt that the provider may bill. */
export interface GivenUpAttempt {
  readonly target: ReadyTarget;
  /** Absent where the endpoint has no budget. */
  readonly limit: AttemptLimit | undefined;
  /** Text that it has sent, where known; empty before a first token. */
  readonly text?: string | undefined;
  /** Whether another target has continued that text, and so has received it. */
  readonly isContinued?: boolean;
}

/** The fields of a call that determine its bill, and those that the bill sets. */
export interface CallSpending {
  /** Messages sent to the model: prompt, history and the request's messages. */
  messages: readonly ChatMessage[] | undefined;
  reply: Reply | undefined;
  answeredBy: ReadyTarget | undefined;
  askedLast: ReadyTarget | undefined;
  /** Attempts that were sent and failed, and may be billed. */
  givenUp: readonly GivenUpAttempt[];
  /** Everything that a stream has brought so far; only recorded where it is judged before it is shown, and may be refused. */
  received: GeneratedText | undefined;
  answer: string | undefined;
  /** Other parts of a stream: other choices, reasoning, tool calls. */
  answerBeside: string;
  usage: CompletionUsage | undefined;
  /** Whether the tokens were counted here, because the provider reported no usage. */
  isUsageEstimated: boolean;
  /** Bill of the call, once it is settled. */
  cost: CallCost | undefined;
  /** Absent where the endpoint has no budget. */
  budget: CallBudget | undefined;
  /** Limit of the successful attempt; absent where the endpoint has no budget. */
  answerLimit: AttemptLimit | undefined;
  /** The provider's usage of a whole stream, once received; only recorded where there is a budget. */
  figure: CompletionUsage | undefined;
  /** Whether a stream has ended normally; only recorded where there is a budget. */
  isStreamWhole: boolean;
}

/** Request state of a call, as far as its bill depends on it; the pipeline's call implements it. */
export interface BilledCall extends CallSpending {
  readonly requestId: string;
  /** User named by the application outside of the body. */
  readonly user?: string | undefined;
  /** Counts what the call sends and receives; no message twice. */
  readonly tokens: TokenCounter;
  readonly request: ChatRequest;
  readonly compiled: {
    readonly endpoint: { readonly parameters: JsonObject | null; readonly outputSchema: JsonObject | null };
  };
}

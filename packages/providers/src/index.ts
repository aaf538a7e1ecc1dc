export { attemptBoundsOf } from "./attempt-bounds.ts";
export {
  type ChatMessage,
  type Completion,
  type CompletionChoice,
  type CompletionChunk,
  type CompletionChunkChoice,
  type CompletionDelta,
  type CompletionRequest,
  type CompletionUsage,
  type FromWire,
  isEmptyField,
  isUsageOnly,
  rememberTextRun,
  rememberWireText,
  type TextRun,
  textRun,
  wireText,
  withText,
} from "./forms/completion.ts";
export { passStream } from "./completion-stream/pass-chunks.ts";
export { ReplyIdentity } from "./openai/reply-identity.ts";
export { type Embedding, type Embeddings, type EmbeddingsRequest, toBase64Vector } from "./forms/embeddings.ts";
export { tryCredential } from "./credential-test.ts";
export { withCurrentKey } from "./current-key.ts";
export {
  modelsMax,
  openMs,
  type AttemptWatch,
  type HealthReport,
  type HealthState,
  ProviderHealth,
} from "./health/provider-health.ts";
export { createProviderHealth, type TargetRefusal } from "./health/create-provider-health.ts";
export { failureCodeOf } from "./health/call-outcome.ts";
export {
  type AnswerLimit,
  askedChoices,
  askedTokens,
  cappedTokens,
  findBadCount,
  limitAnswer,
} from "./output-limit.ts";
export { affordableTokens } from "./pricing/affordable-tokens.ts";
export { loadPriceBook, type Price, type PriceBook, type PricedTarget } from "./pricing/price-book.ts";
export { type TokenUse, toTokenUse } from "./pricing/token-use.ts";
export {
  type Attempt,
  type AttemptBounds,
  type CompletionStream,
  type ProviderAdapter,
  type ProviderAddress,
  givenUp,
  ProviderError,
  type TakeBatch,
  type ProviderFailure,
  type ProviderKind,
  providerKinds,
} from "./provider.ts";

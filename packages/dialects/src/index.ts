export { answerOf, chatDialect, contentOf, firstChoice } from "./chat/chat-reply.ts";
export { type ChatRequest, malformed, parseChatRequest, type PromptVariables, userOf } from "./chat/chat-request.ts";
export { toChunks } from "./completion-chunks.ts";
export { GeneratedText, generatedText } from "./generated-text.ts";
export { decodeInputs, parseEmbeddingsRequest } from "./openai/embeddings-request.ts";
export { parseTextCompletionRequest } from "./openai/text-completion-request.ts";
export { wrapperDialect } from "./openai/wrapper-dialect.ts";
export { parseWrapperRequest } from "./openai/wrapper-request.ts";
export { findParameterProblem, refuseParameter } from "./parameters/parameter-problem.ts";
export { mergeParameters } from "./parameters/model-parameters.ts";
export { outgoingParameters } from "./parameters/outgoing-parameters.ts";
export { findProviderWork } from "./parameters/provider-work.ts";
export { EventRun, type ReplyDialect, type ReplyEvent, type ReplyEvents, type WholeReply } from "./reply-dialect.ts";
export {
  compilePromptTemplate,
  type PromptTemplate,
  type RenderedPrompt,
  variablesOfPrompt,
} from "./prompt-template.ts";

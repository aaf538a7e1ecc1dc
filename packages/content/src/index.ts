export { knownPlaceholders } from "./placeholders.ts";
export { guardStream, type StreamGuard } from "./reply/guard-stream.ts";
export { holdStream } from "./reply/hold-stream.ts";
export { type JudgeTexts, judgeWholeStream } from "./reply/judge-whole-stream.ts";
export { keepJudged, keepJudgedStream } from "./reply/judged-members.ts";
export { refusalsAsContent, refusalsAsContentOfStream } from "./reply/refusals-as-content.ts";
export { mapCompletionTexts, replaceCompletionTexts, textsOfCompletion } from "./reply/message-texts.ts";
export {
  documentsOfContentInSteps,
  inspectionOfInSteps,
  maskContentInSteps,
  textsOfContentInSteps,
  toSendableInSteps,
} from "./request/request-content.ts";
export { countSentTokens, type SentContent, sentTokensMax } from "./request/sent-tokens.ts";

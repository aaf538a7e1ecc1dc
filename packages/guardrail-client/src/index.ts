export { CallContext } from "./call-context.ts";
export { contextHeaders, isContextHeader } from "./context-headers.ts";
export { type BlockNotice, type GuardrailBlock, singlesMax } from "./block-digest.ts";
export { BlockSummaries, type BlockSummariesOptions } from "./block-summaries.ts";
export { createGuardrailClient, type GuardrailRpc } from "./create-guardrail-client.ts";
export type {
  GuardrailAnswer,
  GuardrailClient,
  GuardrailFinding,
  GuardrailQuestion,
  InspectedText,
  Judgement,
  OutputCheck,
  PieceAnswer,
  PieceQuestion,
  Side,
  StreamState,
  Surface,
} from "./guardrail-client.ts";
export {
  createGuardrailRecord,
  type GuardrailAction,
  type GuardrailCounters,
  type GuardrailRecord,
  type GuardrailRecordOptions,
  blockedError,
  recordAnswer,
  unreachable,
} from "./guardrail-record.ts";
export { type JsonTexts, toDocumentsInSteps } from "./json-documents.ts";
export { maskingOf, type Rewriting, rewriteSegmentsInSteps } from "./rewrite-segments.ts";
export {
  labelText,
  type MaskedSpan,
  maskSegmentsInSteps,
  type Masking,
  type Segment,
  toUnitsInSteps,
  type Unit,
} from "./units.ts";

export { codePointCount } from "./code-point-count.ts";
export { encodeJson, encodeJsonBody, encodeJsonInSteps } from "./encode-json.ts";
export { type JsonBounds, jsonBounds } from "./json-bounds.ts";
export { beginsAsJson, mayBeContainer, mayBeJson } from "./json-beginning.ts";
export { type JsonKind, JsonPart, type OutlineSpec } from "./json-part.ts";
export {
  checkJsonInSlices,
  isJsonObject,
  type JsonObject,
  type KeyRule,
  parseJson,
  parseJsonInSlices,
  parseJsonInSteps,
  type ParseJsonOptions,
} from "./parse-json.ts";
export { JsonRefusal, type JsonRefusalKind } from "./json-refusal.ts";
export { numberText } from "./number-text.ts";
export { OutlineReader } from "./outline-reader.ts";
export {
  endOfJson,
  inString,
  isInString,
  type JsonPlace,
  type JsonToken,
  notJson,
  readJsonPiece,
} from "./read-json-piece.ts";
export { type KeptRun, WrittenStrings } from "./written-strings.ts";
export { isUuid, parseUuid, uuidPattern } from "./uuid.ts";
export { readTextTokensInSteps, replaceTextTokensInSteps, type TextToken } from "./text-tokens.ts";

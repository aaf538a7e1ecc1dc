export { type JsonBounds, jsonBounds } from "./json-bounds.ts";
export { JsonRefusal, type JsonRefusalKind } from "./json-refusal.ts";
export { type KeyRule, parseJson, type ParseJsonOptions } from "./parse-json.ts";

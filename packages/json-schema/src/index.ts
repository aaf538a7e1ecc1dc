export { type CheckText, proveSchema, tooMuchWork, violationsOf } from "./check-value.ts";
export { type CompiledSchema, compileSchema, parseText } from "./compile-schema.ts";
export { createTextChecker, type TextChecker } from "./create-text-checker.ts";
export { schemaBounds } from "./schema-bounds.ts";

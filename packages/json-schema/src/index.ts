export { type CheckText, proveSchema, tooMuchWork, violationsOf, violationsOfText } from "./check-value.ts";
export { type CompiledSchema, compileSchema } from "./compile-schema.ts";
export { createTextChecker, type TextChecker } from "./create-text-checker.ts";
export { schemaBounds } from "./schema-bounds.ts";
export type { Violation } from "./violation.ts";

export { openPlaceholder, type Placeholder, placeholderForm, placeholderName } from "./placeholder.ts";
export { isStructuredOutput, PlaceholderValues, structuredBeginningLength } from "./placeholder-values.ts";

export { openPlaceholder, type Placeholder, placeholderForm, placeholderName } from "./placeholder.ts";
export { PlaceholderValues } from "./placeholder-values.ts";

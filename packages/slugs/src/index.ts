export { endpointNotFound } from "./endpoint-not-found.ts";
export { isSlug, reservedSlugs, slugPattern, slugRule } from "./slug.ts";

export { endpointNotFound, isSlug, reservedSlugs, slugPattern, slugRule } from "./slug.ts";

export { EndpointCatalog, type EndpointKey, type LoadEndpoint } from "./endpoint-catalog.ts";
export { endpointNotFound, isSlug, reservedSlugs, slugPattern, slugRule } from "./slug.ts";

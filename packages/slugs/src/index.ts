export { EndpointCatalog, type EndpointKey, type LoadEndpoint } from "./endpoint-catalog.ts";
export { endpointNotFound, isSlug, reservedSlugs, slugPattern, slugRule, slugTaken } from "./slug.ts";

export { FreshCache, type FreshCacheOptions } from "./fresh-cache.ts";

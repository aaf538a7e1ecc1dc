export { BoundedCache, type CacheOptions } from "./bounded-cache.ts";

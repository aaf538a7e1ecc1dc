export { BoundedCache, type CacheOptions } from "./bounded-cache.ts";
export { digestUnitsMin, textDigest } from "./text-digest.ts";

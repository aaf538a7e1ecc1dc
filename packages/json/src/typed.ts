export { findFlaw, type JsonFlaw } from "./find-flaw.ts";
export { rounded } from "./number-text.ts";

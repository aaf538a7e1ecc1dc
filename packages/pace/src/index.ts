export { isLarge, nextTurn } from "./next-turn.ts";
export { Pace, runInSlices } from "./pace.ts";

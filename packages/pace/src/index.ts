export { isLarge, nextTurn } from "./next-turn.ts";
export { Pace, runAtOnce, runInSlices, runSized } from "./pace.ts";

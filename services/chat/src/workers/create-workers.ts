import { type CheckText, createTextChecker } from "@gatehouse/json-schema";
import { type CountTexts, createTextCounter } from "@gatehouse/tokens";

/** Work done on other threads, so that no call holds the event loop. */
interface ChatWorkers {
  readonly countTexts: CountTexts;
  readonly checkText: CheckText;
  /** On a separate thread: drafts neither hold up calls nor push their compiled schemas out. */
  readonly checkDraft: CheckText;
  /** See `TextCounter`. */
  readonly start: () => void;
  readonly close: () => void;
}

export function createWorkers(): ChatWorkers {
  const counter = createTextCounter();
  const checker = createTextChecker();
  const drafts = createTextChecker();
  return {
    countTexts: counter.count,
    checkText: checker.check,
    checkDraft: drafts.check,
    start: counter.start,
    close() {
      counter.close();
      checker.close();
      drafts.close();
    },
  };
}

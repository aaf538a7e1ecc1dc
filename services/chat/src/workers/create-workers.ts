import { type CheckText, createTextChecker } from "@gatehouse/json-schema";
import { type CountTexts, createTextCounter } from "@gatehouse/tokens";
import type { ChatConfig } from "../config.ts";

/** Work in other threads, so that no call blocks the event loop. */
interface ChatWorkers {
  readonly countTexts: CountTexts;
  readonly checkText: CheckText;
  /** In a separate thread: drafts neither delay calls nor evict their compiled schemas. */
  readonly checkDraft: CheckText;
  /** See `TextCounter`. */
  readonly start: () => void;
  readonly close: () => void;
}

/** Threads that count tokens and check tenants' schemas, each with a deadline. */
export function createWorkers({ knownTextsMax }: Pick<ChatConfig, "knownTextsMax">): ChatWorkers {
  const counter = createTextCounter(knownTextsMax);
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

import { guardStream, mapCompletionTexts, type StreamGuard } from "@gatehouse/content";
import { contentOf } from "@gatehouse/dialects";
import {
  isStructuredOutput,
  openPlaceholder,
  structuredBeginningLength,
  type PlaceholderValues,
} from "@gatehouse/placeholders";
import type { Answered } from "../call.ts";
import type { Step } from "../pipeline.ts";

/**
 * Restores values in the answer where the policy numbers its masks; after the model and the output guardrails, which see the
 * masks only.
 */
export function createRestoreStep(): Step<Answered> {
  return {
    name: "restore",
    enter(call) {
      const { reply, placeholders } = call;
      if (placeholders === undefined || placeholders.isEmpty || reply.kind === "embeddings") return undefined;
      if (reply.kind === "complete") {
        call.maskedAnswer = contentOf(reply.completion);
        const completion = mapCompletionTexts(reply.completion, (text, isJson) =>
          placeholders.restore(text, isJson || isStructuredOutput(text)),
        );
        call.reply = { kind: "complete", completion };
        return undefined;
      }
      return guardStream(reply.stream, restoring(call, placeholders)).then(
        (stream) => void (call.reply = { kind: "stream", stream }),
      );
    },
  };
}

/** Holds back only the start of a possible placeholder, which may be split over pieces. */
function restoring(call: Answered, placeholders: PlaceholderValues): StreamGuard {
  return {
    async judge({ state, text, isLast, place }) {
      if (place.field === "content" && place.choice === 0) call.maskedAnswer = (call.maskedAnswer ?? "") + text;
      const held = (state?.held ?? "") + text;
      const until = isLast ? held.length : openPlaceholder(held);
      const beginning = ((state?.context ?? "") + text).slice(0, structuredBeginningLength);
      const isJson = place.field === "tool_calls" || place.field === "function_call" || isStructuredOutput(beginning);
      return await Promise.resolve({
        kind: "judged",
        shown: placeholders.restore(held.slice(0, until), isJson),
        state: { context: beginning, held: held.slice(until), isInsideKey: false },
        block: undefined,
        findings: [],
        isMasked: false,
      });
    },
    onEnd: () => {},
  };
}

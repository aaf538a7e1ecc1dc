import { guardStream, mapCompletionTexts, type StreamGuard } from "@gatehouse/content";
import { contentOf } from "@gatehouse/dialects";
import { openPlaceholder, type PlaceholderValues } from "@gatehouse/placeholders";
import type { Answered } from "../call.ts";
import type { Step } from "../pipeline.ts";
import { shownReply } from "./shown-reply.ts";

/**
 * Restores values in the answer where the policy numbers its masks; after the model and the output guardrails, which see the
 * masks only.
 */
export function createRestoreStep(): Step<Answered> {
  return {
    name: "restore",
    enter(call) {
      const { placeholders } = call;
      if (placeholders === undefined || placeholders.isEmpty || call.reply.kind === "embeddings") return undefined;
      const reply = shownReply(call.reply, call.surface);
      if (reply.kind === "complete") {
        call.maskedAnswer = contentOf(reply.completion);
        const completion = mapCompletionTexts(reply.completion, (text) => placeholders.restore(text));
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
      const restored = placeholders.restorePiece(held.slice(0, until), state?.json?.place ?? "");
      return await Promise.resolve({
        kind: "judged",
        shown: restored.text,
        state: {
          context: "",
          held: held.slice(until),
          isInsideKey: false,
          json: { place: restored.place, names: [], name: "" },
        },
        block: undefined,
        findings: [],
        isMasked: false,
      });
    },
    onEnd: () => {},
  };
}

import { isJsonObject } from "@gatehouse/json";
import { fitMasks, type NumberMask } from "../text/json-masks.ts";
import { maskText, type MaskSpan, orderSpans } from "../text/mask-text.ts";
import { externalBounds } from "./external-document.ts";
import { allowed, type ExternalAdapter, ExternalReplyProblem } from "./external-verdict.ts";

/** Between the texts of a question: ends sentences, and no entity has it inside. */
const separator = "\n\n";

/**
 * `POST /analyze` of Presidio's analyzer: one question for all texts together, with offsets in code points in its answer
 * (https://microsoft.github.io/presidio/api-docs/api-docs.html).
 */
export const presidioAdapter: ExternalAdapter = {
  request({ external, texts, secret }) {
    const { language = "en", entities, score_threshold: threshold } = external;
    const text = texts.map((entry) => entry.text).join(separator);
    const body = JSON.stringify({
      text,
      language,
      ...(entities !== undefined && { entities }),
      ...(threshold !== undefined && { score_threshold: threshold }),
    });
    const authorization = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    return { headers: { "content-type": "application/json", ...authorization }, body };
  },
  read(reply, { external, texts, numberMask = (span) => span }) {
    if (!Array.isArray(reply)) throw new ExternalReplyProblem("The reply is not a list of findings.");
    if (reply.length > externalBounds.spansMax) {
      throw new ExternalReplyProblem(`The reply has more than ${externalBounds.spansMax} findings.`);
    }
    const joined = texts.map((entry) => entry.text).join(separator);
    const spans = readSpans(reply, joined);
    if (spans.length === 0) return allowed;
    if (external.found === "block") return { action: "block" };
    return {
      action: "replace",
      texts: maskEach(
        texts.map((entry) => entry.text),
        orderSpans(spans),
        numberMask,
      ),
    };
  },
};

function readSpans(reply: readonly unknown[], text: string): MaskSpan[] {
  const toUnits = unitsOfCodePoints(text);
  return reply.map((find) => {
    if (!isJsonObject(find)) throw new ExternalReplyProblem("A finding is not an object.");
    const { entity_type: type, start, end } = find;
    const from = typeof start === "number" ? toUnits(start) : undefined;
    const until = typeof end === "number" ? toUnits(end) : undefined;
    if (typeof type !== "string" || !/^[A-Za-z0-9_ -]{1,40}$/.test(type)) {
      throw new ExternalReplyProblem("A finding has no 'entity_type' of at most 40 letters, digits and underscores.");
    }
    if (from === undefined || until === undefined || from >= until) {
      throw new ExternalReplyProblem("A finding's 'start' and 'end' are not a place in the text.");
    }
    return { label: type, start: from, end: until };
  });
}

/** Converts an index in code points to one in UTF-16 units; undefined for an index outside the text. */
function unitsOfCodePoints(text: string): (index: number) => number | undefined {
  let units: number[] | undefined;
  if (/[\ud800-\udbff][\udc00-\udfff]/.test(text)) {
    units = [];
    for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) units.push(at);
  }
  return (index) => {
    if (!Number.isInteger(index) || index < 0) return undefined;
    if (units !== undefined) return units[index];
    return index <= text.length ? index : undefined;
  };
}

function maskEach(
  texts: readonly string[],
  spans: readonly MaskSpan[],
  numberMask: NumberMask,
): ReadonlyMap<number, string> {
  const masked = new Map<number, string>();
  let offset = 0;
  let first = 0;
  for (const [index, text] of texts.entries()) {
    const end = offset + text.length;
    const own: MaskSpan[] = [];
    for (; first < spans.length && (spans[first]?.start ?? 0) < end; first += 1) {
      const span = spans[first];
      if (span === undefined) break;
      // A find over a seam is cut there: its rest is masked in the next text.
      if (span.end > offset)
        own.push({ ...span, start: Math.max(span.start, offset) - offset, end: Math.min(span.end, end) - offset });
      if (span.end > end) break;
    }
    if (own.length > 0) masked.set(index, maskText(text, fitMasks(text, own, numberMask)));
    offset = end + separator.length;
  }
  return masked;
}

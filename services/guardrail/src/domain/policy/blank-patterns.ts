import type { CheckDocument, PatternDocument } from "./policy-document.ts";

/** Letters and digits, quantifiers, groups, alternatives, anchors, and classes of letters and digits: no part matches a blank. */
const withoutBlank =
  /^(?:[\w@#%&=:;,<>~"'/!-]|\\[dwbBAz.\\\-/@+*?()[\]{}|^$]|[|()^$*+?]|\(\?(?:[imsU]+|:|[imsU]+:|P?<\w+>)|\{\d+(?:,\d*)?\}|\[(?:[A-Z]-[A-Z]|[a-z]-[a-z]|\d-\d|\\[dw.\-/@+]|[\w.@#%&+/])+-?\])*$/;

const known = new WeakMap<PatternDocument, boolean>();

/** Whether answers may be masked by a pattern that reaches over words. Patterns of an unknown form count as such. */
export function masksOverWords(documents: readonly CheckDocument[]): boolean {
  return documents.some(({ patterns }) =>
    patterns.some((pattern) => pattern.mode === "mask" && mayMatchBlank(pattern)),
  );
}

function mayMatchBlank(document: PatternDocument): boolean {
  let may = known.get(document);
  if (may === undefined) {
    may = !withoutBlank.test(document.pattern ?? "");
    known.set(document, may);
  }
  return may;
}

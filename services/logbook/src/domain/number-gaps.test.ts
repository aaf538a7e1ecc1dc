import { expect, test } from "vitest";
import { countMissing, type NumberGap, toFaults, uncheckedFault } from "./number-gaps.ts";

const gap: NumberGap = { service: "chat", first: 5, last: 7, ageMs: 31_200 };

test("a gap is reported with its service and numbers", () => {
  expect(toFaults([gap, { ...gap, service: "guardrail", last: 5 }])).toEqual([
    {
      service: "chat",
      sequence: 5,
      kind: "withheld",
      detail: "events 5 to 7 of chat are not in the log, though a later one has been for 31 s",
    },
    {
      service: "guardrail",
      sequence: 5,
      kind: "withheld",
      detail: "event 5 of guardrail is not in the log, though a later one has been for 31 s",
    },
  ]);
});

test("a failed search for gaps is a fault with its reason", () => {
  expect(uncheckedFault(new Error("The database took too long to answer."))).toEqual({
    sequence: 0,
    kind: "unchecked",
    detail: "missing events could not be searched for; the chains were verified. The database took too long to answer.",
  });
});

test("missing events are counted by service, over all its gaps", () => {
  const gaps = [gap, { ...gap, first: 9, last: 9 }, { ...gap, service: "guardrail", first: 1, last: 2 }];
  expect(Object.fromEntries(countMissing(gaps))).toEqual({ chat: 4, guardrail: 2 });
});

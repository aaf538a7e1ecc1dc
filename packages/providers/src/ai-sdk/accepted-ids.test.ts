import { describe, expect, it } from "vitest";
import { toAcceptedIds } from "./accepted-ids.ts";

const ofMistral = /^[a-zA-Z0-9]{9}$/;

describe("toAcceptedIds", () => {
  it("keeps an id that is accepted, at its first place", () => {
    const [first, second] = toAcceptedIds(["D681PevKs", "D681PevKs"], ofMistral);
    expect(first).toBe("D681PevKs");
    expect(second).toMatch(ofMistral);
    expect(second).not.toBe(first);
  });

  it("replaces any other with one that depends on it alone", () => {
    const [made = ""] = toAcceptedIds(["call_1"], ofMistral);
    expect(made).toMatch(ofMistral);
    expect(toAcceptedIds(["D681PevKs", "call_2", "call_1"], ofMistral)[2]).toBe(made);
  });

  it("makes no id that the request has already, earlier or later", () => {
    const [made = ""] = toAcceptedIds(["call_1"], ofMistral);
    for (const ids of [
      ["call_1", made],
      [made, "call_1"],
    ]) {
      const accepted = toAcceptedIds(ids, ofMistral);
      expect(new Set(accepted).size).toBe(2);
      expect(accepted[ids.indexOf(made)]).toBe(made);
    }
  });

  it("makes different ids for many calls with one id", () => {
    const accepted = toAcceptedIds(
      Array.from({ length: 2_000 }, () => ""),
      ofMistral,
    );
    expect(new Set(accepted).size).toBe(2_000);
  });
});

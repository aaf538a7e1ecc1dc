import { expect, test } from "vitest";
import { CallError } from "../../api/call-error.ts";
import { ownRefusal, placedRefusal, refusalOf, refusalWithin } from "./refusal.ts";

test("an error is assigned to an argument, or to a place in it", () => {
  expect(refusalOf(new Error("name must not be empty"))).toEqual({ path: ["name"], words: "name must not be empty" });
  expect(refusalOf(new Error("Invalid guardrail policy: patterns[1].pattern is not valid RE2 syntax."))).toEqual({
    path: ["patterns", "1", "pattern"],
    words: "Is not valid RE2 syntax.",
  });
  expect(refusalOf(new Error("Missing required argument: rules[0].name"))).toEqual({
    path: ["rules", "0", "name"],
    words: "This is required.",
  });
  expect(refusalOf(new Error("Missing required argument: targets"))).toEqual({
    path: ["targets"],
    words: "This is required.",
  });
  expect(refusalOf(new Error("Unknown argument: 'nmae'"))?.path).toEqual(["nmae"]);
  expect(refusalOf(new Error("Invalid pii.mode: 'x'"))).toEqual({
    path: ["pii", "mode"],
    words: "Invalid pii.mode: 'x'",
  });
  expect(refusalOf(new Error("42 is odd"))).toBeUndefined();
});

test("an error that names its argument is assigned to it, whatever its message", () => {
  const refused = (argument: string) => new CallError("Upstream URL blocked.", { status: 200, argument });
  expect(refusalOf(refused("url"))).toEqual({ path: ["url"], words: "Upstream URL blocked." });
  expect(refusalOf(refused("external[1].url"))?.path).toEqual(["external", "1", "url"]);
});

test("an error is passed to its part of the form only", () => {
  const refusal = { error: "Is bad.", errorPath: ["1", "pattern"] };
  expect(refusalWithin(refusal, "0")).toEqual({ error: undefined });
  const ofEntry = refusalWithin(refusal, "1");
  expect(ofEntry).toEqual({ error: "Is bad.", errorPath: ["pattern"] });
  expect(ownRefusal(ofEntry, ["name", "pattern"])).toBeUndefined();
  expect(refusalWithin(ofEntry, "pattern")).toEqual({ error: "Is bad.", errorPath: [] });
  // The form does not show this part, so the whole field shows the error.
  expect(ownRefusal(ofEntry, ["name"])).toBe("Is bad.");
  expect(ownRefusal({ error: "Is bad." }, ["name"])).toBe("Is bad.");
});

test("a field that shows its value as a whole names the refused part", () => {
  expect(placedRefusal({ error: "Is bad.", errorPath: ["1", "model"] })).toBe("Entry 2, Model: Is bad.");
  expect(placedRefusal({ error: "Is bad." })).toBe("Is bad.");
  expect(placedRefusal({ error: undefined, errorPath: ["1"] })).toBeUndefined();
});

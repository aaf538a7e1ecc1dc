import { expect, test } from "vitest";
import { applyPins, comparePins, hashDefinition, isChanged, type ToolPin } from "./tool-pins.ts";
import { toListedTool } from "./tool-shape.ts";

const definition = {
  name: "a",
  description: "d",
  inputSchema: { type: "object", properties: { x: { enum: [1, 2] } } },
};

test("a definition's hash does not depend on the order of its members", () => {
  const same = { inputSchema: { properties: { x: { enum: [1, 2] } }, type: "object" }, description: "d", name: "a" };
  expect(hashDefinition(same)).toBe(hashDefinition(definition));
});

test.each([
  { ...definition, description: "e" },
  { ...definition, name: "b" },
  { ...definition, inputSchema: { type: "object", properties: { x: { enum: [2, 1] } } } },
])("a different definition has a different hash: %o", (other) => {
  expect(hashDefinition(other)).not.toBe(hashDefinition(definition));
});

test("a listing reports new tools, tools changed since the last one, and restored ones", () => {
  const tools = ["new", "same", "changed", "seen", "restored"].map((name) => toListedTool({ ...definition, name }, {}));
  const hashOf = (name: string) => hashDefinition({ ...definition, name });
  const pin = (name: string, approvedHash: string, seenHash?: string): [string, ToolPin] => [
    name,
    { name, approvedHash, seenHash },
  ];
  const pins = new Map([
    pin("same", hashOf("same")),
    pin("changed", "old", "older"),
    pin("seen", "old", hashOf("seen")),
    pin("restored", hashOf("restored"), "other"),
  ]);
  const { added, changed, restored } = comparePins(tools, pins);
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  expect([names(added), names(changed), names(restored)]).toEqual([["new"], ["changed"], ["restored"]]);
  expect(names(tools.filter((tool) => isChanged(tool, pins)))).toEqual(["changed", "seen"]);

  const standing = (isApprovedAtSight: boolean) => {
    const next = applyPins(pins, { added, changed, restored }, isApprovedAtSight);
    return tools.map(({ name, hash }) => {
      const pin = next.get(name);
      return [name, pin?.approvedHash === hash, pin?.seenHash === undefined];
    });
  };
  const settled = ["new", "same", "restored"].map((name) => [name, true, true]);
  expect(standing(false).filter(([, isApproved]) => isApproved)).toEqual(settled);
  expect(standing(true).filter(([name]) => name === "changed")).toEqual([["changed", true, true]]);
});

import { runAtOnce } from "@gatehouse/pace";
import { expect, test } from "vitest";
import { EncodedTools } from "./encoded-tools.ts";
import { toListedTool } from "./tool-shape.ts";
import type { Upstream } from "./upstream.ts";

const upstream = { prefix: "up", settings: { passMetadata: false } } as Upstream;
const toolOf = (name: string, description = "d") =>
  toListedTool({ name, description, inputSchema: { type: "object" } }, {});

function read(pieces: readonly Buffer[] | undefined): readonly { readonly name: string }[] {
  return JSON.parse(`[${Buffer.concat(pieces ?? []).toString()}]`) as readonly { readonly name: string }[];
}

test("tools are encoded once with the prefix, and cached", () => {
  const tools = new EncodedTools([toolOf("a"), toolOf("b")], upstream);
  expect(tools.pieces).toBeUndefined();
  const pieces = runAtOnce(tools.encode());
  expect(tools.pieces).toBe(pieces);
  expect(read(pieces).map(({ name }) => name)).toEqual(["up__a", "up__b"]);
});

test("large tools are encoded in several steps", () => {
  const large = "x".repeat(200 * 1_024);
  const steps = new EncodedTools([toolOf("a", large), toolOf("b", large), toolOf("c", large)], upstream).encode();
  expect(steps.next().done).toBe(false);
  expect(read(runAtOnce(steps))).toHaveLength(3);
});

test("only tools visible to a caller are encoded for it, without empty pieces", () => {
  const tools = new EncodedTools([toolOf("a"), toolOf("b")], upstream);
  expect(read(runAtOnce(tools.encodeWithin((name) => name === "up__b"))).map(({ name }) => name)).toEqual(["up__b"]);
  expect(runAtOnce(tools.encodeWithin(() => false))).toEqual([]);
  expect(tools.pieces).toBeUndefined();
});

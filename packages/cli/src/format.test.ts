import { expect, test } from "vitest";
import { formatObject, formatTable } from "./format.ts";

test("a table pads its columns, cuts what is long and shows nothing as a dash", () => {
  const rows = [
    { id: 1, name: "first", scopes: ["chat", "mcp"], error: null },
    { id: 22, name: "x".repeat(80), scopes: [], error: "two\nlines" },
  ];
  const lines = formatTable(rows, ["id", "name", "scopes", "error"]).split("\n");
  expect(lines[0]).toMatch(/^ID {2}NAME +SCOPES {4}ERROR$/);
  expect(lines[1]).toMatch(/^1 {3}first +chat,mcp {2}-$/);
  expect(lines[2]).toMatch(/^22 {2}x{59}… +two lines$/);
});

test("a column may name a member of a member", () => {
  expect(formatTable([{ state: { health: "down" } }, { state: null }], ["state.health"])).toBe("HEALTH\ndown\n-");
});

test("a column names no entry of a list", () => {
  expect(formatTable([{ scopes: ["chat"] }], ["scopes.0"])).toBe("0\n-");
});

test("an empty table says so", () => {
  expect(formatTable([], ["id"])).toBe("None.");
});

test("an object has one line a member", () => {
  expect(formatObject({ id: 1, rate_limit: null, auth: { type: "none" } })).toBe(
    ["id          1", "rate_limit  -", 'auth        {"type":"none"}'].join("\n"),
  );
});

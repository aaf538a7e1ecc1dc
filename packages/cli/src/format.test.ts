import { expect, test } from "vitest";
import { formatObject, formatTable } from "./format.ts";

test("a table pads its columns, cuts long values and prints absent ones as a dash", () => {
  const rows = [
    { id: 1, name: "first", scopes: ["chat", "mcp"], error: null },
    { id: 22, name: "x".repeat(80), scopes: [], error: "two\nlines" },
  ];
  const lines = formatTable(rows, ["id", "name", "scopes", "error"]).split("\n");
  expect(lines[0]).toMatch(/^ID {2}NAME +SCOPES {4}ERROR$/);
  expect(lines[1]).toMatch(/^1 {3}first +chat,mcp {2}-$/);
  expect(lines[2]).toMatch(/^22 {2}x{59}… +two lines$/);
});

test("a column may name a nested member", () => {
  expect(formatTable([{ state: { health: "down" } }, { state: null }], ["state.health"])).toBe("HEALTH\ndown\n-");
});

test("a column cannot name an entry of a list", () => {
  expect(formatTable([{ scopes: ["chat"] }], ["scopes.0"])).toBe("0\n-");
});

test("a table has no bound of rows", () => {
  const rows = Array.from({ length: 200_000 }, (_, id) => ({ id }));
  expect(formatTable(rows, ["id"]).split("\n").at(-1)).toBe("199999");
});

test("an empty table is a line that says so", () => {
  expect(formatTable([], ["id"])).toBe("None.");
});

test("an object is printed with one line per member", () => {
  expect(formatObject({ id: 1, rate_limit: null, auth: { type: "none" } })).toBe(
    ["id          1", "rate_limit  -", 'auth        {"type":"none"}'].join("\n"),
  );
});

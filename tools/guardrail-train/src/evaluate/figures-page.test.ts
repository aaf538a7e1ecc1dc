import { expect, test } from "vitest";
import { figuresPage, readFiguresPage, renewTables } from "./figures-page.ts";

const tables = [
  { title: "Targets", header: ["", "target"], rows: [["speed, %", ">= 2"]] },
  { title: "Disguises: 1 of 2", header: ["", "recall", "of plain"], rows: [["plain", "66.2", "100.0"]] },
];

test("a page's tables are read as they were written", () => {
  expect(readFiguresPage(figuresPage(tables, 4_789))).toEqual(tables);
});

test("new tables take the places of their former ones, whatever figures their titles have", () => {
  const disguises = { title: "Disguises: 2 of 2", header: ["", "recall"], rows: [] };
  const speed = { title: "Speed", header: ["", "ms"], rows: [] };
  expect(renewTables(tables, [disguises, speed])).toEqual([tables[0], disguises, speed]);
});

import { expect, test } from "vitest";
import { toCsv } from "./to-csv.ts";

test("cells are quoted where they must be, and null is empty", () => {
  const rows = [
    { name: 'a "b", c', count: 3, error: null, details: { stream: true } },
    { name: "line\nbreak", count: -1, error: "", details: {} },
  ];
  expect(toCsv(rows)).toBe(
    'name,count,error,details\r\n"a ""b"", c",3,,"{""stream"":true}"\r\n"line\nbreak",-1,,{}\r\n',
  );
});

test("no text is a formula for a spreadsheet", () => {
  expect(toCsv([{ user: "=HYPERLINK(1)" }, { user: "@x" }])).toBe("user\r\n'=HYPERLINK(1)\r\n'@x\r\n");
  expect(toCsv([{ user: '\t"=cmd|x' }, { user: "＝1" }])).toBe(`user\r\n"'\t""=cmd|x"\r\n'＝1\r\n`);
});

test("no part of a text is a formula where cells end at semicolons, tabs or lines", () => {
  expect(toCsv([{ at: 1, user: "a, b;=cmd|x" }])).toBe(`at,user\r\n1,"a, b;'=cmd|x"\r\n`);
  expect(toCsv([{ at: 1, user: 'a;" +1' }])).toBe(`at,user\r\n1,"a;'"" +1"\r\n`);
  expect(toCsv([{ at: 1, user: "a\n@x\t-1; b" }])).toBe(`at,user\r\n1,"a\n'@x\t'-1; b"\r\n`);
});

test("no rows are an empty file", () => {
  expect(toCsv([])).toBe("\r\n");
});

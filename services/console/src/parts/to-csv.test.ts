import { expect, test } from "vitest";
import { toCsv } from "./to-csv.ts";

test("cells are quoted if necessary, and null is empty", () => {
  const rows = [
    { name: 'a "b", c', count: 3, error: null, details: { stream: true } },
    { name: "line\nbreak", count: -1, error: "", details: {} },
  ];
  expect(toCsv(rows)).toBe(
    'name,count,error,details\r\n"a ""b"", c",3,,"{""stream"":true}"\r\n"line\nbreak",-1,,{}\r\n',
  );
});

test("a text that starts like a formula is escaped", () => {
  expect(toCsv([{ user: "=HYPERLINK(1)" }, { user: "@x" }])).toBe("user\r\n'=HYPERLINK(1)\r\n'@x\r\n");
  expect(toCsv([{ user: '\t"=cmd|x' }, { user: "＝1" }])).toBe(`user\r\n"'\t""=cmd|x"\r\n'＝1\r\n`);
});

test("a part of a text that starts like a formula is escaped after semicolons, tabs and line ends", () => {
  expect(toCsv([{ at: 1, user: "a, b;=cmd|x" }])).toBe(`at,user\r\n1,"a, b;'=cmd|x"\r\n`);
  expect(toCsv([{ at: 1, user: 'a;" +1' }])).toBe(`at,user\r\n1,"a;'"" +1"\r\n`);
  expect(toCsv([{ at: 1, user: "a\n@x\t-1; b" }])).toBe(`at,user\r\n1,"a\n'@x\t'-1; b"\r\n`);
});

test("a table without rows is an empty line", () => {
  expect(toCsv([])).toBe("\r\n");
});

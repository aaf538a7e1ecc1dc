import { expect, test } from "vitest";
import { breachesOf, manifest } from "../testing/in-memory-repository.ts";

const file = (text: string, path = "services/chat/src/store/a.ts") => ({
  "services/chat/package.json": manifest("@x/chat"),
  [path]: text,
});

test.each([
  [`import { recordEvent } from "@gatehouse/audit";`, "recordEvent"],
  [`import { type NewAuditEvent, recordEvents } from "@gatehouse/audit";`, "recordEvents"],
  [`import { ChangeFeed } from "@gatehouse/database";`, "ChangeFeed"],
  [`import { openDatabase } from "@gatehouse/database";`, "openDatabase"],
])("a service may not write around the kernel: %s", (text, name) => {
  expect(breachesOf("one-writer", file(text))).toEqual([
    `services/chat/src/store/a.ts:1 imports ${name}, which belongs to the service kernel`,
  ]);
});

test.each([
  [`import type { AuditQueue, NewAuditEvent } from "@gatehouse/audit";`],
  [`import { inTransaction, reading } from "@gatehouse/database";`],
  [`import { systemInitiator } from "@gatehouse/audit";`],
])("a service may: %s", (text) => {
  expect(breachesOf("one-writer", file(text))).toEqual([]);
});

test("its tests, and packages, are free", () => {
  const text = `import { openDatabase } from "@gatehouse/database";`;
  expect(breachesOf("one-writer", file(text, "services/chat/test/a.ts"))).toEqual([]);
  expect(breachesOf("one-writer", file(text, "packages/service/src/rows.ts"))).toEqual([]);
});

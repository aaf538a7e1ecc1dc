import { expect, test } from "vitest";
import { operations } from "./operations.ts";
import { type KnownValues, usageLinesOf } from "./usage-line.ts";

const linesOf = (name: string, known?: KnownValues, also?: readonly string[]) =>
  operations
    .filter((operation) => operation.name === name)
    .flatMap((operation) => usageLinesOf(operation, known, also));

test("a usage line has the required arguments, by name where no value is given", () => {
  expect(linesOf("svc_create_project")).toEqual(["project create <name> --type <type>"]);
  expect(linesOf("svc_create_token", { project: "1b4e28ba" })).toEqual([
    "token create 1b4e28ba <name> --scope <scope>",
  ]);
});

test("an optional argument is in the usage line when it is asked for", () => {
  expect(linesOf("svc_create_endpoint", { project: "p" }, ["targets"])).toEqual([
    "endpoint create p <slug> --target <target>",
  ]);
});

test("an operation that sets a switch has two usage lines, and an owner is a project or an endpoint", () => {
  expect(linesOf("svc_set_webhook_active", { webhook_id: 3 })).toEqual(["webhook activate 3", "webhook deactivate 3"]);
  expect(linesOf("svc_test_guardrails", { project: "p" })).toEqual(["guardrails test p <text>"]);
});

test("a value with characters that a shell interprets is quoted", () => {
  expect(linesOf("svc_create_token", { project: "$(reboot) it's" })).toEqual([
    String.raw`token create '$(reboot) it'\''s' <name> --scope <scope>`,
  ]);
});

import { expect, test } from "vitest";
import { findMessageProblem, findSubjectProblem, subjectLengthMax } from "./commits.ts";

test.each([
  "router: pass a trace on",
  "router, api-proxy: pass a trace on",
  "start:services: choose free ports",
  "all: `admit` has one meaning",
  'Revert "router: pass a trace on"',
  "Merge branch 'main'",
])("a subject is taken: %s", (subject) => {
  expect(findSubjectProblem(subject)).toBeUndefined();
});

test.each(["Pass a trace on", "router: Pass a trace on", "router:pass a trace on", "router, : pass", ""])(
  "a subject of another form is refused: %s",
  (subject) => {
    expect(findSubjectProblem(subject)).toBe("is not `area: verb object`");
  },
);

test("a subject may have 72 characters", () => {
  const longest = `router: ${"p".repeat(subjectLengthMax - "router: ".length)}`;
  expect(findSubjectProblem(longest)).toBeUndefined();
  expect(findSubjectProblem(`${longest}p`)).toBe("has 73 characters; at most 72");
});

test("a message has a body, and lines of git's count for nothing", () => {
  expect(findMessageProblem("\n# Please enter\nrouter: pass a trace on\n\nCallers lost it.\n")).toBeUndefined();
  expect(findMessageProblem("router: pass a trace on\n\n# On branch main\n")).toBe("it has no body, which says why");
  expect(findMessageProblem("Pass\n\nCallers lost it.\n")).toBe("the subject is not `area: verb object`");
  expect(findMessageProblem("fixup! router: pass a trace on\n")).toBeUndefined();
});

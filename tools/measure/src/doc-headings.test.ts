import { expect, test } from "vitest";
import { findOddHeadings } from "./doc-headings.ts";

const sections = ["What it owns", "Invariants", "Surface", "Events", "When something is down", "Run and test it alone"];
const readmeOf = (headings: readonly string[]) =>
  `# Hats\n\n${headings.map((heading) => `## ${heading}\n`).join("\n")}`;
const problemsOf = (path: string, text: string) => findOddHeadings([{ path, text }]).map(({ problem }) => problem);

test("a service's README has its sections in order, with others between them", () => {
  const headings = sections.toSpliced(4, 0, "How a hat is made");
  expect(problemsOf("services/hats/README.md", readmeOf(headings))).toEqual([]);
});

test("a missing section and another order are named", () => {
  const [first = "", second = "", ...others] = sections;
  expect(problemsOf("services/hats/README.md", readmeOf(sections.slice(1)))).toEqual(["has no section `What it owns`"]);
  expect(problemsOf("services/hats/README.md", readmeOf([second, first, ...others]))).toEqual([
    `has its sections in another order than ${sections.join(", ")}`,
  ]);
});

test("a package's README has the package's name as its title", () => {
  expect(problemsOf("packages/hats/README.md", "# @gatehouse/hats\n\nHats.")).toEqual([]);
  expect(problemsOf("packages/hats/README.md", "# hats\n")).toEqual(["has not the title `# @gatehouse/hats`"]);
});

test("other pages are free", () => {
  expect(problemsOf("services/console/README.md", "# Console")).toEqual([]);
  expect(problemsOf("docs/hats.md", "# Hats")).toEqual([]);
});

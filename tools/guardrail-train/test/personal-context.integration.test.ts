import { contextEntities } from "@gatehouse/guardrail/training";
import { expect, test } from "vitest";
import { countContext, readContextTexts } from "../src/evaluate/context-report.ts";

test.each(contextEntities)("most of %s is found whole by the words around it, and hardly anything else", (entity) => {
  const { marked, whole, finds, wrong } = countContext(readContextTexts("measured"), entity);
  expect(marked).toBeGreaterThan(15);
  expect(whole / marked).toBeGreaterThanOrEqual(0.88);
  expect(wrong / finds).toBeLessThanOrEqual(0.05);
});

test("harmless texts, a third of the set, have none", () => {
  const harmless = [...readContextTexts("fixed"), ...readContextTexts("measured")].filter(
    ({ marks }) => marks.length === 0,
  );
  expect(harmless.length).toBeGreaterThan(70);
  for (const entity of contextEntities) expect(countContext(harmless, entity)).toMatchObject({ finds: 0 });
});

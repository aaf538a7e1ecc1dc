import { fileURLToPath } from "node:url";
import { encodeModel, type InjectionModel, loadModel } from "@gatehouse/guardrail/training";
import { beforeAll, describe, expect, test } from "vitest";
import { type Example, readExamples } from "../src/corpus.ts";
import { scoreText } from "../src/evaluate/subject.ts";
import { train, type Trained } from "../src/train.ts";

const folder = fileURLToPath(new URL("../src/sample", import.meta.url));
const sample = ["injection", "benign"].flatMap((set) => readExamples(folder, set));
const written = sample.filter(({ source }) => source === "sample-written");

/** Share of examples above a threshold. */
function shareFlagged(model: InjectionModel, attack: boolean, examples: readonly Example[]): number {
  const chosen = examples.filter((example) => example.attack === attack);
  return chosen.filter(({ text }) => scoreText(text, model) > model.thresholds.default).length / chosen.length;
}

describe("the shipped weights, on the sample that is kept beside the trainer", () => {
  const shipped = loadModel();

  test("find most of its attacks", () => {
    // Less than the 0.9 of earlier weights: the default threshold flags half as many hard negatives of held-out writers.
    expect(shareFlagged(shipped, true, sample)).toBeGreaterThanOrEqual(0.86);
    expect(shareFlagged(shipped, true, written)).toBeGreaterThanOrEqual(0.95);
  });

  test("let its harmless texts pass", () => {
    expect(shareFlagged(shipped, false, sample)).toBeLessThanOrEqual(0.01);
    expect(shareFlagged(shipped, false, written)).toBeLessThanOrEqual(0.05);
  });
});

describe("training on the sample", () => {
  let first: Trained;
  let second: Trained;

  beforeAll(() => {
    first = train(sample, []);
    second = train(sample, []);
  }, 120_000);

  test("gives the same bytes each time", () => {
    const [bytes, again] = [first, second].map(({ header, model }) => Buffer.from(encodeModel(header, model)));
    expect(bytes?.equals(again ?? Buffer.alloc(0))).toBe(true);
  });

  test("gives the figures that are expected of it", () => {
    expect(first.header.corpusSha256).toBe("857a9a016ccb0f0d785d2c58fcc654ca59156b12ba38616ecd326e3c73c9eb1f");
    expect(first.recall.default).toBeCloseTo(0.494, 1);
    expect(first.header.thresholds.default).toBeCloseTo(3.76, 0);
    expect(shareFlagged(first.model, true, sample)).toBeGreaterThanOrEqual(0.57);
    expect(shareFlagged(first.model, false, sample)).toBeLessThanOrEqual(0.01);
  });
});

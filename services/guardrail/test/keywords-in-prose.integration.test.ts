import { expect, test } from "vitest";
import { inspect } from "../src/domain/policy/inspect.ts";
import { compilePolicy } from "../src/training.ts";

const keywords = ["zanzibar", "quetzal", "xylophone", "jazz club", "kwyjibo"];
const policy = compilePolicy({ keywords });
const words = ["f", "x", "zz", "q", "rhythm", "hello there.", "wlh", "nyx", "uryyb", "please", "tnaslb"];

test("a keyword is found beside any unusual letters", () => {
  const missed = keywords.flatMap((keyword) =>
    words.flatMap((word) =>
      [
        `${word} ${keyword}`,
        `${keyword} ${word}`,
        `${word}\n${keyword} ${keyword}`,
        `${word} ${keyword} ${word}`,
      ].filter((text) => !inspect(policy, { side: "input", texts: [{ role: "user", text }] }).blocked),
    ),
  );
  expect(missed).toEqual([]);
});

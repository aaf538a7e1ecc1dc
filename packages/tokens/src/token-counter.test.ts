import { expect, test } from "vitest";
import { TokenCounter } from "./token-counter.ts";

test("each message is counted once, with its frame", async () => {
  const counted: string[] = [];
  const counter = new TokenCounter(async (texts, { tenant }) => {
    expect(tenant).toBe("p");
    counted.push(...texts);
    return await Promise.resolve(texts.map(({ length }) => length));
  }, "p");
  const [question, answer] = [
    { role: "user", content: "one" },
    { role: "assistant", content: [{ type: "text", text: "two " }, { text: "3" }, { type: "image_url" }] },
  ];
  expect(await counter.ofMessages([question])).toEqual([3 + 4 + 3]);
  expect(await counter.ofPrompt([question, answer])).toBe(3 + (3 + 4 + 3) + (3 + 9 + 5));
  expect(counted).toEqual(["user", "one", "assistant", "two 3"]);
  expect(await counter.ofTexts(["a", "bc"])).toBe(3);
});

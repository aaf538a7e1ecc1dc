import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askLine } from "./ask-line.ts";

function asking() {
  const input = new PassThrough();
  const output = new PassThrough();
  const answer = askLine(createInterface({ input, output, terminal: true }), "Go on? ");
  return { input, output, answer };
}

test("the answer is the line that follows the question", async () => {
  const { input, output, answer } = asking();
  input.write("yes\n");
  expect(await answer).toBe("yes");
  expect(String(output.read())).toContain("Go on? ");
});

test.each([
  ["Ctrl-D", (input: PassThrough) => void input.write("\x04")],
  ["the end of the input", (input: PassThrough) => void input.end()],
])("%s is an answer that changes nothing", async (_what, end) => {
  const { input, answer } = asking();
  end(input);
  await expect(answer).rejects.toMatchObject({ message: "Nothing was changed.", exitCode: 1 });
});

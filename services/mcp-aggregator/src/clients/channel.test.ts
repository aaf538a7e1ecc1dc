import { expect, test } from "vitest";
import { ServerRequests } from "./channel.ts";

test("an upstream that sends endless requests gets eight answers per interval", async () => {
  let answers = 0;
  let release: (() => void)[] = [];
  const send = async () => {
    answers += 1;
    await Promise.resolve();
  };
  const requests = new ServerRequests(send, async () => await new Promise<void>((resolve) => release.push(resolve)));
  const askOften = async () => {
    for (let asked = 0; asked < 1_000; asked += 1) {
      requests.answer({ id: "1", method: "ping" });
      await Promise.resolve();
    }
  };
  await askOften();
  expect(answers).toBe(8);
  for (const over of release) over();
  release = [];
  await askOften();
  expect(answers).toBe(16);
});

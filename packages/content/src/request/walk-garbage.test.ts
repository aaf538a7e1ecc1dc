import { runAtOnce } from "@gatehouse/pace";
import { heapBytesOf } from "@gatehouse/pace/testing";
import { expect, test } from "vitest";
import { inspectionOfInSteps, maskContentInSteps, toSendableInSteps } from "./request-content.ts";

const messageCount = 9_000;

const bytesPerMessage = async (work: () => unknown) => (await heapBytesOf(work)) / messageCount;

test("a walk of very many messages allocates little garbage for each", async () => {
  const message = { role: "user", content: "a@b.co 4111 1111 1111 1111" };
  const content = { messages: Array.from({ length: messageCount }, () => message), variables: {} };
  const { texts } = runAtOnce(inspectionOfInSteps(content));
  const label = "EMAIL";
  const spans = texts.map((_text, textIndex) => ({ textIndex, start: 0, end: 6, label }));
  const masking = { texts: texts.map(({ text }) => `[${label}]${text.slice(6)}`), spans };
  expect(await bytesPerMessage(() => runAtOnce(toSendableInSteps(content)))).toBeLessThan(900);
  expect(await bytesPerMessage(() => runAtOnce(inspectionOfInSteps(content)))).toBeLessThan(1_200);
  expect(await bytesPerMessage(() => runAtOnce(maskContentInSteps(content, masking)))).toBeLessThan(3_600);
});

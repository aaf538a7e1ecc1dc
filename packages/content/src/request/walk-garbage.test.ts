import type { HeapProfiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import { runAtOnce } from "@gatehouse/pace";
import { expect, test } from "vitest";
import { inspectionOfInSteps, maskContentInSteps, toSendableInSteps } from "./request-content.ts";

const sampledBytes = 4_096;
const messageCount = 9_000;

function sizeOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), selfSize);
}

/** Bytes of the heap for each message that one run of the work takes, those that are garbage by now included. */
async function bytesPerMessage(work: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  work();
  const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post("HeapProfiler.startSampling", { samplingInterval: sampledBytes, ...all });
  work();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  return sizeOf(profile.head) / messageCount;
}

test("a walk of very many messages leaves little garbage for each, since collecting it would stop everybody", async () => {
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

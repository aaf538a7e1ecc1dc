import { expect, test } from "vitest";
import { LinkError, type ProcessLink } from "./process-link.ts";
import { lateProbesMax, watchWorker } from "./watch-worker.ts";

/** Watches a process that leaves the questions of these numbers, from 1, unanswered, and ends after the last question. */
async function watch(questions: number, isSilent: (question: number) => boolean) {
  const ended = Promise.withResolvers<string>();
  const seen = { questions: 0, killed: false, isKilled: false };
  const ask = async () => {
    seen.questions += 1;
    if (seen.questions === questions) ended.resolve("SIGTERM");
    if (isSilent(seen.questions)) throw new LinkError("No answer.");
    return await Promise.resolve({ value: null });
  };
  const worker = {
    link: { ask } as unknown as ProcessLink,
    ended: ended.promise,
    kill: () => void (seen.killed = true),
  };
  seen.isKilled = await watchWorker(worker, async () => await Promise.resolve());
  return seen;
}

test("a worker that has stopped answering is killed", async () => {
  const frozen = await watch(100, (question) => question > 5);
  expect(frozen).toEqual({ questions: 5 + lateProbesMax, killed: true, isKilled: true });
});

test("a worker that is late now and then is not, nor one that ends", async () => {
  const late = await watch(100, (question) => question % lateProbesMax !== 0);
  expect(late).toEqual({ questions: 100, killed: false, isKilled: false });
});

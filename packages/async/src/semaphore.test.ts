import { expect, test } from "vitest";
import { createMutex, Semaphore } from "./semaphore.ts";

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

test("concurrent work is limited to the bound and starts in order of arrival, failures included", async () => {
  const semaphore = new Semaphore(2);
  const started: number[] = [];
  let [running, most] = [0, 0];
  const work = async (index: number) =>
    await semaphore.run(async () => {
      started.push(index);
      most = Math.max(most, ++running);
      await turn();
      running -= 1;
      if (index % 3 === 0) throw new Error(`failed ${index}`);
      return index;
    });
  const outcomes = await Promise.allSettled(Array.from({ length: 9 }, async (_, index) => await work(index)));
  expect(most).toBe(2);
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(outcomes.map(({ status }) => status)).toEqual(
    Array.from({ length: 9 }, (_, index) => (index % 3 === 0 ? "rejected" : "fulfilled")),
  );
  await expect(work(10)).resolves.toBe(10);
});

test("a slot is refused while all are taken, and releasing a slot twice frees it once", async () => {
  const semaphore = new Semaphore(2);
  const release = semaphore.tryAcquire();
  expect(semaphore.tryAcquire()).toBeDefined();
  expect(semaphore.tryAcquire()).toBeUndefined();
  release?.();
  release?.();
  expect(semaphore.tryAcquire()).toBeDefined();
  expect(semaphore.tryAcquire()).toBeUndefined();
});

test("a freed slot goes to work that waits, not to a later caller", async () => {
  const semaphore = new Semaphore(1);
  const release = semaphore.tryAcquire();
  const waiting = semaphore.run(async () => await turn());
  release?.();
  expect(semaphore.tryAcquire()).toBeUndefined();
  await waiting;
  expect(semaphore.tryAcquire()).toBeDefined();
});

test("a mutex runs pieces of work one after the other", async () => {
  const exclusively = createMutex();
  const steps: string[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} starts`);
    await turn();
    steps.push(`${name} ends`);
    if (name === "a") throw new Error(name);
  };
  await Promise.allSettled([exclusively(work("a")), exclusively(work("b"))]);
  expect(steps).toEqual(["a starts", "a ends", "b starts", "b ends"]);
});

import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { PairHistogram } from "./pair-histogram.ts";

const definition = { name: "call_seconds", help: "Time of a call.", labelNames: ["route", "status"] };
const buckets = [0.005, 0.1, 1, 10];
const [first, second] = ["route", "status"] as const;

function createBoth() {
  const registries = { own: new Registry(), peer: new Registry() };
  const own = new PairHistogram({ ...definition, labelNames: [first, second], buckets, registry: registries.own });
  const peer = new Histogram({ ...definition, buckets, registers: [registries.peer] });
  return {
    registries,
    own,
    observe(route: string, status: number, seconds: number) {
      own.observe(route, status, seconds);
      peer.observe({ route, status }, seconds);
    },
  };
}

test("a histogram of pairs is written as prom-client writes its own", async () => {
  const { registries, observe } = createBoth();
  for (const seconds of [0, 0.005, 0.006, 0.1, 0.7, 1, 9.9, 10, 11, 1e9]) observe("chat", 200, seconds);
  observe("chat", 500, 0.2);
  observe('a "quoted" route', 200, 3);
  expect(await registries.own.metrics()).toBe(await registries.peer.metrics());
  // prom-client's form has empty members beside these.
  expect(await registries.peer.getMetricsAsJSON()).toMatchObject(await registries.own.getMetricsAsJSON());
});

test("a histogram of pairs without observations is written as prom-client writes its own", async () => {
  const { registries } = createBoth();
  expect(await registries.own.metrics()).toBe(await registries.peer.metrics());
});

test("values that are not finite are left out", async () => {
  const { registries, own, observe } = createBoth();
  observe("chat", 200, 1);
  own.observe("chat", 200, Number.NaN);
  own.observe("chat", 200, Number.POSITIVE_INFINITY);
  expect(await registries.own.metrics()).toBe(await registries.peer.metrics());
});

test("the counts of each series are read, and cleared by a reset", () => {
  const { own } = createBoth();
  own.observe("chat", 200, 1);
  own.observe("chat", 200, 2);
  own.observe("chat", 429, 1);
  const counts = () => own.counts().map(({ labels, count }) => ({ labels, count }));
  expect(counts()).toEqual([
    { labels: { route: "chat", status: 200 }, count: 2 },
    { labels: { route: "chat", status: 429 }, count: 1 },
  ]);
  own.reset();
  expect(counts()).toEqual([]);
});

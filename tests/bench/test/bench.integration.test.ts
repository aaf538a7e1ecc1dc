import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatCall, openAiBody, postRequest, streamCall, type Call } from "../src/call.ts";
import { runLoad, type LoadPlan } from "../src/load.ts";
import { measure } from "../src/measure.ts";
import { nodeToolkit, prepareToolkit, type Toolkit } from "../src/native.ts";
import { parseOptions } from "../src/options.ts";
import { canReadUsage } from "../src/process-usage.ts";
import { runScenario, startBench, type StartedBench } from "../src/run-bench.ts";
import { abortedStreams } from "../src/scenarios/aborted-streams.ts";

const options = {
  ...parseOptions(["--rounds", "2", "--seconds", "0.2"]),
  warmUpSeconds: 0.05,
  firstWarmUpSeconds: 0.1,
};
const wanted = { product: false, comparison: false, logFolder: "" };
/** The compiled programs, if there is a compiler, and the Node ones. */
const toolkits: readonly Toolkit[] = [await prepareToolkit("auto"), nodeToolkit("tested")];

describe.each(toolkits)("the bench with the $kind programs", (toolkit) => {
  let started: StartedBench;
  beforeAll(async () => {
    started = await startBench({ toolkit, options, progress: () => {} }, wanted);
  });
  afterAll(() => started.stop());

  const load = async (name: string, call: Call, plan: Partial<LoadPlan> = {}) => {
    const subject = started.bench.subjects.find((candidate) => candidate.name === name);
    if (!subject) throw new Error(`no ${name}`);
    const request = await subject.prepare(call);
    // A load with a number of requests ends after the last of them, however slow the machine is.
    const seconds = plan.requestsMax === undefined ? 0.2 : 30;
    return runLoad(toolkit, { port: subject.port, request, call, connections: 4, seconds, ...plan });
  };

  it("measures the direct call and the bare proxy in every round, with correct replies", async () => {
    const stage = { name: "streams", call: streamCall(5, 1), connections: 4, unit: "chunk" } as const;
    const { cells, failures } = await measure(started.bench, { subjects: started.bench.subjects, stages: [stage] });
    expect(failures).toEqual([]);
    expect(cells.map(({ round, subject }) => `${round} ${subject}`)).toEqual([
      "0 direct",
      "0 bare proxy",
      "1 bare proxy",
      "1 direct",
    ]);
    for (const { subject, cpuUs, load } of cells) {
      expect(load.completed).toBeGreaterThan(0);
      expect(load.generator).toBe(toolkit.kind);
      expect(cpuUs !== undefined).toBe(canReadUsage && subject !== "direct");
    }
  });

  it("sends as many calls as the rate of an open loop", async () => {
    const { issued, completed, latencyUs } = await load("direct", chatCall, { rate: 100, seconds: 0.5 });
    expect({ issued, completed, counted: latencyUs.count }).toEqual({ issued: 50, completed: 50, counted: 50 });
  });

  it("counts every chunk of a stream, and one first token for each stream", async () => {
    const report = await load("bare proxy", streamCall(7, 1), { requestsMax: 8 });
    expect(report).toMatchObject({ completed: 8, chunks: 56, firstUs: { count: 8 } });
  });

  it("counts a wrong status, a wrong text or a cut stream as an error", async () => {
    const wrongText = await load("direct", { ...chatCall, marker: "not there" }, { requestsMax: 3 });
    const tooFew = await load("direct", { ...streamCall(5, 0), markers: 6 }, { requestsMax: 3 });
    const cut = await load("direct", { ...streamCall(5, 0), end: "data: [MORE]" }, { requestsMax: 3 });
    expect([wrongText, tooFew, cut].map(({ completed, errors }) => [completed, errors.content])).toEqual([
      [0, 3],
      [0, 3],
      [0, 3],
    ]);
  });

  it("sends several requests alternately", async () => {
    const padded = (call: Call) => {
      const size = postRequest("/", openAiBody(call), { pad: "" }).length;
      return postRequest("/", openAiBody(call), { pad: "x".repeat(600 - size) });
    };
    const request = Buffer.concat([padded(chatCall), padded(streamCall(5, 0)), padded(chatCall)]);
    const report = await load("direct", chatCall, { request, requestBytes: 600, requestsMax: 9, connections: 1 });
    expect([report.completed, report.errors.content]).toEqual([6, 3]);
  });

  it("stops early when every reply is an error", async () => {
    const { errors, completed } = await load("direct", { ...chatCall, marker: "not there" }, { seconds: 60 });
    expect(completed).toBe(0);
    expect(errors.content).toBeLessThan(1000);
  });

  it("leaves a stream when requested, and the provider detects it", async () => {
    const before = await started.bench.provider.stats();
    const { leftEarly, completed } = await load("direct", streamCall(500, 20), { requestsMax: 4, leaveAfter: 2 });
    expect({ leftEarly, completed }).toEqual({ leftEarly: 4, completed: 0 });
    await expect
      .poll(() => started.bench.provider.stats())
      .toMatchObject({ streamsAborted: before.streamsAborted + 4 });
  });

  it.runIf(toolkit === toolkits[0])(
    "measures that the bare proxy survives clients that leave, and cancels their requests",
    async () => {
      const { failures, tables } = await runScenario(abortedStreams, started.bench, () => {});
      expect(failures).toEqual([]);
      expect(tables[0]?.rows.map(([subject, left, , health]) => [subject, left, health])).toEqual([
        ["direct", "900 of 900", "300 of 300"],
        ["bare proxy", "900 of 900", "300 of 300"],
      ]);
    },
  );
});

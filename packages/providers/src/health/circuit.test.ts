import fc from "fast-check";
import { expect, test } from "vitest";
import { failuresMax, openMs } from "./bounds.ts";
import { Circuit, type CircuitStateName, type Finding, type Passage } from "./circuit.ts";

function createCircuit() {
  const clock = { at: 0 };
  const transitions: CircuitStateName[] = [];
  const circuit = new Circuit({ now: () => clock.at, onTransition: (to) => void transitions.push(to) });
  return { clock, transitions, circuit };
}

async function attempt(circuit: Circuit, finding: Finding): Promise<void> {
  await circuit.enter().report(finding);
}

async function open(circuit: Circuit): Promise<void> {
  for (let times = 0; times < failuresMax; times += 1) await attempt(circuit, "failed");
}

test("a probe that is given up decides nothing: the next call probes", async () => {
  const { circuit, clock } = createCircuit();
  await open(circuit);
  clock.at += openMs;
  await attempt(circuit, "unclear");
  expect([circuit.state, circuit.admits]).toEqual(["half_open", true]);
  await attempt(circuit, "alive");
  expect(circuit.state).toBe("closed");
});

test("a call made although the circuit is open is its probe", async () => {
  const { circuit, transitions } = createCircuit();
  await open(circuit);
  expect(circuit.admits).toBe(false);
  const probe = circuit.enter();
  const beside = circuit.enter();
  expect([probe.isProbe, beside.isProbe, circuit.admits]).toEqual([true, false, false]);
  await beside.report("failed");
  await probe.report("alive");
  expect(transitions).toEqual(["open", "half_open", "closed"]);
});

test("the system's clock being set neither lengthens nor shortens the pause", async () => {
  const { circuit, clock } = createCircuit();
  const systemNow = Date.now;
  await open(circuit);
  try {
    Date.now = () => systemNow() + 3_600_000;
    expect(circuit.admits).toBe(false);
    Date.now = () => systemNow() - 3_600_000;
    clock.at += openMs;
    const probe = circuit.enter();
    expect(probe.isProbe).toBe(true);
    await probe.report("alive");
    expect(circuit.state).toBe("closed");
  } finally {
    Date.now = systemNow;
  }
});

/** The rules in their plainest form, for calls of which each ends before the next begins, and one probe that may last. */
class Model {
  failures = 0;
  openUntil = 0;
  state: CircuitStateName = "closed";

  end(finding: Finding, now: number): void {
    if (this.state === "closed") {
      if (finding === "alive") this.failures = 0;
      if (finding === "failed") this.failures += 1;
      if (this.failures >= failuresMax) this.open(now + openMs);
    } else if (finding === "alive") {
      this.state = "closed";
      this.failures = 0;
    } else {
      this.open(finding === "failed" ? now + openMs : now);
    }
  }

  open(until: number): void {
    this.state = "open";
    this.openUntil = until;
  }

  shown(now: number): CircuitStateName {
    return this.state === "open" && now >= this.openUntil ? "half_open" : this.state;
  }
}

test("any order of findings, pauses and probes leads where the rules say", async () => {
  const finding = fc.constantFrom<Finding>("alive", "failed", "failed", "failed", "unclear");
  const command = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("call" as const), finding }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: openMs }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("probe" as const), finding }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const { circuit, clock } = createCircuit();
      const model = new Model();
      for (const step of commands) {
        if (step.kind === "pass") clock.at += step.ms;
        else if (step.kind === "call") {
          if (!circuit.admits) continue;
          if (model.state === "open") model.state = "half_open";
          await attempt(circuit, step.finding);
          model.end(step.finding, clock.at);
        } else if (model.shown(clock.at) === "half_open") {
          const probe: Passage = circuit.enter();
          expect([circuit.admits, circuit.enter().isProbe]).toEqual([false, false]);
          model.state = "half_open";
          await probe.report(step.finding);
          model.end(step.finding, clock.at);
        }
        expect(circuit.state).toBe(model.shown(clock.at));
        expect(circuit.admits).toBe(model.shown(clock.at) !== "open");
      }
    }),
    { numRuns: 300, seed: 11 },
  );
});

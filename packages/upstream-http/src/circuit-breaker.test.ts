import fc from "fast-check";
import { expect, test } from "vitest";
import { CircuitBreaker, type CircuitState, type CallOutcome, type CircuitCall } from "./circuit-breaker.ts";

const failuresMax = 5;
const openMs = 10_000;

function createCircuit() {
  const clock = { at: 0 };
  const transitions: CircuitState[] = [];
  const circuit = new CircuitBreaker({
    failuresMax,
    openMs,
    now: () => clock.at,
    onTransition: (to) => void transitions.push(to),
  });
  return { clock, transitions, circuit };
}

function attempt(circuit: CircuitBreaker, outcome: CallOutcome): void {
  circuit.enter().report(outcome);
}

function open(circuit: CircuitBreaker): void {
  for (let times = 0; times < failuresMax; times += 1) attempt(circuit, "failed");
}

test("an aborted probe decides nothing, and the next call probes", () => {
  const { circuit, clock } = createCircuit();
  open(circuit);
  clock.at += openMs;
  attempt(circuit, "unclear");
  expect([circuit.state, circuit.admits]).toEqual(["half_open", true]);
  attempt(circuit, "alive");
  expect(circuit.state).toBe("closed");
});

test("a call made while the circuit is open is its probe", () => {
  const { circuit, transitions } = createCircuit();
  open(circuit);
  expect(circuit.admits).toBe(false);
  const probe = circuit.enter();
  const beside = circuit.enter();
  expect([probe.isProbe, beside.isProbe, circuit.admits]).toEqual([true, false, false]);
  beside.report("failed");
  probe.report("alive");
  expect(transitions).toEqual(["open", "half_open", "closed"]);
});

test("a change of the system's clock does not change the pause", () => {
  const { circuit, clock } = createCircuit();
  const systemNow = Date.now;
  open(circuit);
  try {
    Date.now = () => systemNow() + 3_600_000;
    expect(circuit.admits).toBe(false);
    Date.now = () => systemNow() - 3_600_000;
    clock.at += openMs;
    const probe = circuit.enter();
    expect(probe.isProbe).toBe(true);
    probe.report("alive");
    expect(circuit.state).toBe("closed");
  } finally {
    Date.now = systemNow;
  }
});

/** Simplest form of the rules, for sequential calls and one probe that may overlap. */
class Model {
  failures = 0;
  openUntil = 0;
  state: CircuitState = "closed";

  end(outcome: CallOutcome, now: number): void {
    if (this.state === "closed") {
      if (outcome === "alive") this.failures = 0;
      if (outcome === "failed") this.failures += 1;
      if (this.failures >= failuresMax) this.open(now + openMs);
    } else if (outcome === "alive") {
      this.state = "closed";
      this.failures = 0;
    } else {
      this.open(outcome === "failed" ? now + openMs : now);
    }
  }

  open(until: number): void {
    this.state = "open";
    this.openUntil = until;
  }

  shown(now: number): CircuitState {
    return this.state === "open" && now >= this.openUntil ? "half_open" : this.state;
  }
}

test("any order of outcomes, pauses and probes agrees with a plain model", () => {
  const outcome = fc.constantFrom<CallOutcome>("alive", "failed", "failed", "failed", "unclear");
  const command = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("call" as const), outcome }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: openMs }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("probe" as const), outcome }) },
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const { circuit, clock } = createCircuit();
      const model = new Model();
      for (const step of commands) {
        if (step.kind === "pass") clock.at += step.ms;
        else if (step.kind === "call") {
          if (!circuit.admits) continue;
          if (model.state === "open") model.state = "half_open";
          attempt(circuit, step.outcome);
          model.end(step.outcome, clock.at);
        } else if (model.shown(clock.at) === "half_open") {
          const probe: CircuitCall = circuit.enter();
          expect([circuit.admits, circuit.enter().isProbe]).toEqual([false, false]);
          model.state = "half_open";
          probe.report(step.outcome);
          model.end(step.outcome, clock.at);
        }
        expect(circuit.state).toBe(model.shown(clock.at));
        expect(circuit.admits).toBe(model.shown(clock.at) !== "open");
      }
    }),
    { numRuns: 300, seed: 11 },
  );
});

function createRecovering() {
  let nowMs = 0;
  const jitter = { share: 0.2, random: () => 0 };
  const circuit = new CircuitBreaker({ failuresMax: 3, openMs: 5_000, openMsMax: 60_000, now: () => nowMs, jitter });
  for (let failure = 0; failure < 3; failure += 1) circuit.enter().report("failed");
  const waitMs = () => (circuit.openUntil ?? nowMs) - nowMs;
  return { circuit, waitMs, pass: (ms: number) => void (nowMs += ms) };
}

test("each failed probe doubles the pause up to its bound, and a success closes the circuit and resets it", () => {
  const { circuit, waitMs, pass } = createRecovering();
  for (const openMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    expect([waitMs(), circuit.admits]).toEqual([openMs, false]);
    pass(openMs);
    expect(circuit.admits).toBe(true);
    circuit.enter().report("failed");
  }
  pass(60_000);
  circuit.enter().report("alive");
  expect(circuit.state).toBe("closed");
  for (let failure = 0; failure < 3; failure += 1) circuit.enter().report("failed");
  expect(waitMs()).toBe(5_000);
});

test("failures of calls from before the opening neither extend the pause nor decide a probe", () => {
  const { circuit, waitMs, pass } = createRecovering();
  const late = createRecovering();
  pass(5_000);
  const probe = circuit.enter();
  expect([probe.isProbe, circuit.enter().isProbe]).toEqual([true, false]);
  circuit.enter().report("failed");
  expect(circuit.state).toBe("half_open");
  probe.report("alive");
  expect([circuit.state, waitMs()]).toEqual(["closed", 0]);
  const calls = Array.from({ length: 5 }, () => circuit.enter());
  for (const circuitCall of calls) circuitCall.report("failed");
  expect(waitMs()).toBe(late.waitMs());
});

test("only the first outcome of a call counts", () => {
  const circuit = new CircuitBreaker({ failuresMax: 2, openMs: 1_000, now: () => 0 });
  const circuitCall = circuit.enter();
  circuitCall.report("failed");
  circuitCall.report("failed");
  expect(circuit.state).toBe("closed");
});

test("the pause is shortened at random, so that replicas do not probe at the same time", () => {
  const jitter = { share: 0.2, random: () => 0.5 };
  const circuit = new CircuitBreaker({ failuresMax: 1, openMs: 1_000, now: () => 0, jitter });
  circuit.enter().report("failed");
  expect(circuit.openUntil).toBe(900);
});

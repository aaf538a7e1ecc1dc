import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { chatCall } from "../call.ts";
import type { Failure } from "../measure.ts";
import { absent, formatNumber, type Goal, type Table } from "../report.ts";
import { type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { startStatusLoad, type StatusLoad, type StatusTally } from "../status-load.ts";
import type { Subject } from "../subject.ts";
import type { GatewaySetup } from "../systems/gatehouse.ts";
import { type PrivateGatehouse, withPrivateGatehouses } from "../systems/private-gatehouse.ts";

/** Calls a second of each kind of key. */
const rate = 50;
const beforeSeconds = 5;
const healMsMax = 30_000;
/** Longest wait for the last usage rows after the last call. */
const usageMsMax = 15_000;
const callTimeoutMs = 15_000;
const neverReached = 1_000_000_000;
const rowsMax = 15;

const setups: readonly GatewaySetup[] = [
  { name: "no policy" },
  {
    name: "rate limits",
    project: { rate_limit_per_minute: neverReached, rate_limit_per_hour: neverReached },
  },
  {
    name: "budget",
    endpoint: {
      targets: [
        { provider: "bench", model: chatCall.model, input_price_per_million: 2.5, output_price_per_million: 10 },
      ],
      monthly_budget_usd: 1_000_000,
    },
  },
];

/** Results of one kind of key. */
interface Endured {
  readonly name: string;
  readonly load: StatusLoad;
  /** From Postgres' return to the first second in which all replies were 200; undefined: not seen. */
  healedSeconds: number | undefined;
  usageRows: number;
}

/** The product's Postgres crashes under load and returns later. */
export const postgresOutage: Scenario = {
  name: "postgres-outage",
  summary: "Postgres crashes under a steady load of warm keys and comes back after a minute (10 s in a quick run)",
  run: async (bench) =>
    await withPrivateGatehouses(bench, { outage: {} }, async ({ outage: own }) => await endure(bench, own)),
};

async function endure(bench: Bench, own: PrivateGatehouse): Promise<ScenarioOutcome> {
  const outageSeconds = bench.options.quick ? 10 : 60;
  const subjects = await Promise.all(setups.map(async (setup) => await own.gatehouse.createSubject(setup)));
  const endured: Endured[] = await Promise.all(subjects.map(startLoad));
  bench.progress("postgres-outage: warming up");
  await lapse(beforeSeconds * 1000, "load before the outage");
  await own.crashPostgres();
  bench.progress(`postgres-outage: Postgres is away for ${outageSeconds} s`);
  await lapse(outageSeconds * 1000, "the outage");
  await own.restartPostgres();
  const backAt = performance.now();
  await Promise.all(endured.map(async (one) => await untilHealed(one, backAt)));
  await Promise.all(endured.map(async ({ load }) => await load.stop()));
  await Promise.all(endured.map(async (one) => await countUsage(own, one)));
  const seconds = beforeSeconds + outageSeconds;
  return {
    tables: [secondsTable(endured, seconds), usageTable(endured)],
    goals: [repliesGoal(endured), usageGoal(endured), healingGoal(endured)],
    failures: endured.flatMap(failuresOf),
    raw: endured.map(({ load: { tally }, ...rest }) => ({ ...rest, replies: totals(tally), example: tally.example() })),
  };
}

async function startLoad(subject: Subject): Promise<Endured> {
  const text = (await subject.prepare(chatCall)).toString("utf8");
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const [, path = ""] = head.split(" ");
  const [, authorization = ""] = /^authorization: (.*)$/m.exec(head) ?? [];
  const plan = { port: subject.port, path, authorization: authorization.trim(), body, rate, timeoutMs: callTimeoutMs };
  return { name: subject.name, load: startStatusLoad(plan), healedSeconds: undefined, usageRows: 0 };
}

/** Waits for 25 consecutive replies of 200. */
async function untilHealed(endured: Endured, backAt: number): Promise<void> {
  const { tally } = endured.load;
  while (performance.now() - backAt < healMsMax) {
    const now = performance.now();
    const failed = tally.total("503 with Retry-After") + tally.total("other");
    const answered = tally.total("200");
    await delay(500);
    const isWell = tally.total("503 with Retry-After") + tally.total("other") === failed;
    if (!isWell || tally.total("200") < answered + rate / 4) continue;
    endured.healedSeconds = (now - backAt) / 1000;
    return;
  }
}

/** Polls the product's usage until it contains every call, or time is up. */
async function countUsage({ gatehouse }: PrivateGatehouse, endured: Endured): Promise<void> {
  const { name, load } = endured;
  for (const until = performance.now() + usageMsMax; performance.now() < until; await delay(250)) {
    const { projects = [] } = (await gatehouse.controlPlane.call("svc_list_projects", {})) as { projects?: Listed[] };
    const project = projects.find((listed) => listed.name === `Bench: ${name}`)?.uuid;
    const { total } = (await gatehouse.controlPlane.call("svc_get_usage", { project })) as {
      total: { requests: number };
    };
    endured.usageRows = total.requests;
    if (endured.usageRows >= load.tally.total("200")) return;
  }
}

interface Listed {
  readonly name: string;
  readonly uuid: string;
}

const totals = (tally: StatusTally) => ({
  ok: tally.total("200"),
  unavailable: tally.total("503 with Retry-After"),
  other: tally.total("other"),
});

function secondsTable(endured: readonly Endured[], seconds: number): Table {
  const width = Math.ceil((seconds + 5) / rowsMax);
  const rows = Array.from({ length: Math.ceil((seconds + 5) / width) }, (_, row) => {
    const from = row * width;
    const span = Array.from({ length: width }, (__, index) => from + index);
    const cells = endured.map(({ load: { tally } }) => {
      const sum = (kind: "200" | "503 with Retry-After" | "other") =>
        span.reduce((total, second) => total + tally.count(second, kind), 0);
      return `${sum("200")} / ${sum("503 with Retry-After")} / ${sum("other")}`;
    });
    return [width === 1 ? `${from}` : `${from}–${from + width - 1}`, ...cells];
  });
  return {
    title: `postgres-outage: replies by the second of sending, ${rate} calls/s each; Postgres is away from second ${beforeSeconds} to ${seconds}`,
    columns: ["second", ...endured.map(({ name }) => name)],
    rows,
    notes: ["200 / 503 with Retry-After / anything else."],
  };
}

function usageTable(endured: readonly Endured[]): Table {
  const rows = endured.map(({ name, load, healedSeconds, usageRows }) => {
    const { ok, unavailable, other } = totals(load.tally);
    const healed = healedSeconds === undefined ? "NOT" : `${formatNumber(healedSeconds)} s`;
    return [name, `${ok}`, `${unavailable}`, `${other}`, `${usageRows}`, healed];
  });
  const columns = ["keys with", "200", "503 with Retry-After", "other", "usage rows", "all 200 again after"];
  return { title: "postgres-outage: in total", columns, rows };
}

function repliesGoal(endured: readonly Endured[]): Goal {
  const others = endured.reduce((sum, { load }) => sum + load.tally.total("other"), 0);
  const name = "replies while Postgres is away that are neither 200 nor 503 with Retry-After";
  return { name, limit: "none", measured: `${others}`, reached: others === 0 };
}

/** Calls that failed after their provider's answer have a row too, so there may be more rows than answers, but not fewer. */
function usageGoal(endured: readonly Endured[]): Goal {
  const lost = endured.reduce((sum, { load, usageRows }) => sum + Math.max(0, load.tally.total("200") - usageRows), 0);
  return {
    name: "answered calls without a usage row after the outage",
    limit: "none",
    measured: `${lost}`,
    reached: lost === 0,
  };
}

function healingGoal(endured: readonly Endured[]): Goal {
  const seconds = endured.map(({ healedSeconds }) => healedSeconds);
  const known = seconds.filter((value) => value !== undefined);
  const reached = known.length === seconds.length;
  const measured = reached ? `within ${formatNumber(Math.max(...known))} s` : absent;
  return {
    name: "every key is served again without a restart",
    limit: `within ${healMsMax / 1000} s`,
    measured,
    reached,
  };
}

function failuresOf({ name, load: { tally }, usageRows, healedSeconds }: Endured): Failure[] {
  const complaints = [
    tally.total("other") > 0 &&
      `${tally.total("other")} replies were neither 200 nor 503 with Retry-After: ${tally.example()}`,
    usageRows < tally.total("200") && `${tally.total("200")} calls were answered, ${usageRows} have a usage row`,
    healedSeconds === undefined && `not every reply was 200 again within ${healMsMax / 1000} s`,
  ];
  return complaints.flatMap((what) =>
    what === false ? [] : [{ subject: name, what: `postgres-outage: ${what}`, isForeign: false }],
  );
}

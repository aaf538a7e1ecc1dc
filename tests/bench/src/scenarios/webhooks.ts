import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import type { ControlPlane } from "../control-plane.ts";
import { textOf } from "../control-plane.ts";
import type { Failure } from "../measure.ts";
import { type ProcessGroup, readUsage, spentNs } from "../process-usage.ts";
import { formatNumber, type Goal, type Table } from "../report.ts";
import { type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { quantile } from "../statistics.ts";
import { type PrivateGatehouse, withPrivateGatehouses } from "../systems/private-gatehouse.ts";
import { startWebhookReceivers, type WebhookReceivers } from "../systems/webhook-receivers.ts";

const projectsCount = 5;
const webhooksPerProject = 20;
/** Webhooks per project that never answer in the second measurement. */
const holesPerProject = 4;
const rateMin = 2_500;
const keptShareMin = 0.9;
const pacedRate = 200;
const pacedProjectsCount = 20;
const changesAtOnceMax = 50;
const p50MsMax = 30;
const p99MsMax = 150;
const waitMsMax = 120_000;
/** Time for the deliveries of the last events, whose number is unknown. */
const lastDeliveriesMs = 1_000;

/** Events end to end: a change over the Control Plane, its outbox, and its signed and recorded deliveries. */
export const webhooks: Scenario = {
  name: "webhooks",
  summary: "deliveries a second, with and without receivers that never answer, and the way from commit to first byte",
  async run(bench) {
    const products = { webhooks: { EGRESS_ALLOW: "127.0.0.0/8" } };
    return await withPrivateGatehouses(bench, products, async ({ webhooks: own }) => {
      const receivers = await startWebhookReceivers();
      try {
        return await measureWebhooks(bench, own, receivers);
      } finally {
        await receivers.stop();
      }
    });
  },
};

async function measureWebhooks(
  bench: Bench,
  { gatehouse: { controlPlane }, group }: PrivateGatehouse,
  receivers: WebhookReceivers,
): Promise<ScenarioOutcome> {
  const { healthy, holes } = await createWebhooks(controlPlane, receivers.origin);
  const eventsCount = bench.options.quick ? 100 : 400;
  bench.progress("webhooks: warming up");
  await runBurst({ controlPlane, receivers, group }, { events: 20, expected: 20 * healthy });
  bench.progress("webhooks: every receiver answers");
  const whole = await runBurst(
    { controlPlane, receivers, group },
    { events: eventsCount, expected: eventsCount * healthy },
  );
  for (const id of holes) await controlPlane.call("svc_set_webhook_active", { webhook_id: id, is_active: true });
  bench.progress("webhooks: a fifth of them never answers");
  const holed = await runBurst(
    { controlPlane, receivers, group },
    { events: eventsCount, expected: eventsCount * healthy },
  );
  for (const id of holes) await controlPlane.call("svc_delete_webhook", { webhook_id: id });
  bench.progress(`webhooks: ${pacedRate} events/s`);
  const paced = await runPaced(bench, controlPlane, receivers);
  return {
    tables: [rateTable(whole, holed), pacedTable(paced)],
    goals: [...rateGoals(whole, holed), ...pacedGoals(paced)],
    failures: [whole, holed].flatMap(failureOf),
    raw: { whole, holed, paced },
  };
}

interface Made {
  /** Active webhooks that answer. */
  readonly healthy: number;
  /** Ids of webhooks that never answer; initially inactive. */
  readonly holes: readonly number[];
}

async function createWebhooks(controlPlane: ControlPlane, origin: string): Promise<Made> {
  const holes: number[] = [];
  for (let project = 0; project < projectsCount; project++) {
    const named = { name: `Webhooks ${project}`, project_type: "ai_gateway" };
    const uuid = textOf(await controlPlane.call("svc_create_project", named), "uuid");
    for (let index = 0; index < webhooksPerProject; index++) {
      const isHole = index < holesPerProject;
      const { id } = await controlPlane.call("svc_create_webhook", {
        project: uuid,
        name: `w${index}`,
        url: `${origin}/${isHole ? "hole" : "ok"}/${project}/${index}`,
        events: ["provider.enabled", "provider.disabled"],
      });
      if (!isHole) continue;
      holes.push(Number(id));
      await controlPlane.call("svc_set_webhook_active", { webhook_id: id, is_active: false });
    }
  }
  return { healthy: projectsCount * (webhooksPerProject - holesPerProject), holes };
}

interface Burstable {
  readonly controlPlane: ControlPlane;
  readonly receivers: WebhookReceivers;
  readonly group: ProcessGroup;
}

interface Burst {
  readonly events: number;
  readonly expected: number;
  readonly arrived: number;
  /** Arrivals per second, from the first to the last. */
  readonly rate: number;
  /** CPU per arrival, microseconds, which other programs do not inflate. */
  readonly productCpuUs: number | undefined;
  readonly databaseCpuUs: number | undefined;
}

/** Creates events as fast as possible, and waits until each has arrived at every receiver that answers. */
async function runBurst(
  { controlPlane, receivers, group }: Burstable,
  { events, expected }: { readonly events: number; readonly expected: number },
): Promise<Burst> {
  receivers.reset();
  const before = readUsage(group);
  for (let event = 0; event < events; event++) {
    await controlPlane.call("svc_set_provider_enabled", { provider: "bench", enabled: event % 2 === 1 });
  }
  for (const until = performance.now() + waitMsMax; receivers.latenciesMs.length < expected; await delay(20)) {
    if (performance.now() > until) break;
  }
  const arrived = receivers.latenciesMs.length;
  const after = readUsage(group);
  const each = (spent: number | undefined) => (spent === undefined ? undefined : spent / 1_000 / arrived);
  return {
    events,
    expected,
    arrived,
    rate: (1_000 * arrived) / (receivers.lastAt() - receivers.firstAt()),
    productCpuUs: each(before && after && spentNs(before.productCpuNs, after.productCpuNs)),
    databaseCpuUs: each(before && after && spentNs(before.databaseCpuNs, after.databaseCpuNs)),
  };
}

interface Paced {
  readonly events: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Single events to one webhook each at a steady rate, over several projects, whose rows would otherwise block each other. */
async function runPaced(bench: Bench, controlPlane: ControlPlane, receivers: WebhookReceivers): Promise<Paced> {
  const projects: string[] = [];
  for (let index = 0; index < pacedProjectsCount; index++) {
    const named = { name: "Paced", project_type: "ai_gateway" };
    const project = textOf(await controlPlane.call("svc_create_project", named), "uuid");
    const url = `${receivers.origin}/ok/paced/${index}`;
    await controlPlane.call("svc_create_webhook", { project, name: "paced", url, events: ["project.updated"] });
    projects.push(project);
  }
  await sendPaced(controlPlane, projects, pacedRate);
  receivers.reset();
  await sendPaced(controlPlane, projects, pacedRate * (bench.options.quick ? 5 : 20));
  const { latenciesMs } = receivers;
  return { events: latenciesMs.length, p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99) };
}

/** Skips a change without a free slot: the latency of created events is measured. */
async function sendPaced(controlPlane: ControlPlane, projects: readonly string[], events: number): Promise<void> {
  const begunAt = performance.now();
  const waiting = new Set<number>();
  for (let event = 0; event < events; event++) {
    await delay(Math.max(0, begunAt + (event * 1_000) / pacedRate - performance.now()));
    if (waiting.size >= changesAtOnceMax) continue;
    waiting.add(event);
    const change = { project: projects[event % projects.length], name: `Paced ${event}` };
    const settled = () => void waiting.delete(event);
    controlPlane.call("svc_update_project", change).then(settled, settled);
  }
  for (const until = performance.now() + 10_000; waiting.size > 0 && performance.now() < until; await delay(20));
  await lapse(lastDeliveriesMs, "deliveries of the last changes arrive");
}

function rateTable(whole: Burst, holed: Burst): Table {
  const row = (name: string, { events, arrived, expected, rate, productCpuUs, databaseCpuUs }: Burst) => [
    name,
    `${events}`,
    `${arrived} of ${expected}`,
    formatNumber(rate),
    formatNumber(productCpuUs),
    formatNumber(databaseCpuUs),
  ];
  return {
    title: "webhooks: deliveries to the receivers that answer, the product and its Postgres on one machine with them",
    columns: ["receivers", "events", "arrived", "deliveries/s", "CPU µs each", "database CPU µs each"],
    rows: [row("all answer", whole), row("a fifth never answers", holed)],
  };
}

function pacedTable({ events, p50Ms, p99Ms }: Paced): Table {
  return {
    title: `webhooks: from the event's transaction to its arrival, ${pacedRate} events/s, milliseconds`,
    columns: ["events", "p50", "p99"],
    rows: [[`${events}`, formatNumber(p50Ms), formatNumber(p99Ms)]],
  };
}

function rateGoals(whole: Burst, holed: Burst): Goal[] {
  const share = holed.rate / whole.rate;
  return [
    {
      name: "webhook deliveries a second, end to end",
      limit: `≥ ${formatNumber(rateMin)}`,
      measured: formatNumber(whole.rate),
      reached: whole.rate >= rateMin,
    },
    {
      name: "of that rate, kept while a fifth of the receivers never answer",
      limit: `≥ ${keptShareMin * 100} %`,
      measured: `${formatNumber(share * 100)} %`,
      reached: share >= keptShareMin,
    },
  ];
}

function pacedGoals({ p50Ms, p99Ms }: Paced): Goal[] {
  return [
    {
      name: "commit to arrival, p50",
      limit: `≤ ${p50MsMax} ms`,
      measured: `${formatNumber(p50Ms)} ms`,
      reached: p50Ms <= p50MsMax,
    },
    {
      name: "commit to arrival, p99",
      limit: `≤ ${p99MsMax} ms`,
      measured: `${formatNumber(p99Ms)} ms`,
      reached: p99Ms <= p99MsMax,
    },
  ];
}

function failureOf({ arrived, expected }: Burst): Failure[] {
  if (arrived === expected) return [];
  return [{ subject: "gatehouse", what: `webhooks: ${arrived} of ${expected} deliveries arrived`, isForeign: false }];
}

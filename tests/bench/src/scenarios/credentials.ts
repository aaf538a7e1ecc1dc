import { request, type Agent } from "node:http";
import { Agent as KeepAlive } from "node:http";
import { chatCall } from "../call.ts";
import { textOf } from "../control-plane.ts";
import { cpuGoal } from "../goals.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatNumber, type Goal, type Table } from "../report.ts";
import { nothingMeasured, type Bench, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { ownTable } from "../stage-table.ts";
import { quantile } from "../statistics.ts";
import type { Gatehouse } from "../systems/gatehouse.ts";
import { startTokenIssuer, type TokenIssuer } from "../systems/token-issuer.ts";

const saturated: Stage = {
  name: "credentials: closed loop, 64 connections",
  call: chatCall,
  connections: 64,
  unit: "call",
};
const costRatioMax = 1.1;
const revocations = 200;
/** Few in a quick run, which only checks the scenario. */
const quickRevocations = 20;
const revokedWithinMs = 250;
/** Longest wait for one revocation. */
const waitMsMax = 5_000;

const accessToken = "access token";
const jwt = "JWT";

/** Warm calls with an organisation's JWT compared with access tokens, and the delay of a revocation. */
export const credentials: Scenario = {
  name: "credentials",
  summary: `a warm call with a JWT against one with an access token, and the time until each of ${revocations} revocations is in force`,
  run: async (bench) => (bench.gatehouse ? await compare(bench, bench.gatehouse) : nothingMeasured),
};

async function compare(bench: Bench, gatehouse: Gatehouse): Promise<ScenarioOutcome> {
  const issuer = await startTokenIssuer();
  try {
    const subjects = [
      await gatehouse.createSubject({ name: accessToken }),
      await gatehouse.createSubject({
        name: jwt,
        credential: async (project) => await trust(gatehouse, issuer, project),
      }),
    ];
    const measurement = await measure(bench, { subjects, stages: [saturated] });
    const count = bench.options.quick ? quickRevocations : revocations;
    bench.progress(`revoking ${count} tokens and ${count} admin keys`);
    const [tokens, adminKeys] = [await revokeTokens(gatehouse, count), await revokeAdminKeys(gatehouse, count)];
    return {
      tables: [ownTable(measurement, saturated), revocationTable({ tokens, adminKeys })],
      goals: [costGoal(measurement), revocationGoal("tokens", tokens), revocationGoal("admin keys", adminKeys)],
      failures: measurement.failures,
      raw: { cells: measurement.cells, tokens, adminKeys },
    };
  } finally {
    issuer.stop();
  }
}

async function trust({ controlPlane }: Gatehouse, issuer: TokenIssuer, project: string): Promise<string> {
  await controlPlane.call("svc_create_issuer", { project, issuer: issuer.url, audience: "bench", scopes: ["chat"] });
  return issuer.mint("bench", "application");
}

function costGoal(measurement: Measurement): Goal {
  const at = { stage: saturated, subject: jwt, baseline: accessToken };
  const per = "warm call with a JWT against one with an access token";
  return cpuGoal(measurement, at, { per, atMost: costRatioMax, withDatabase: false });
}

/** Milliseconds from the answer to the revocation to the first refusal. */
type Times = readonly number[];

async function revokeTokens({ controlPlane, subject }: Gatehouse, count: number): Promise<Times> {
  const project = textOf(
    await controlPlane.call("svc_create_project", { name: "Bench: revocations", project_type: "ai_gateway" }),
    "uuid",
  );
  return await revokeAll(count, async (agent) => {
    const created = await controlPlane.call("svc_create_token", { project, name: "bench", scopes: ["chat"] });
    const call = { port: subject.port, path: `/api/${project}/nothing`, credential: textOf(created, "token"), agent };
    return { call, revoke: async () => await controlPlane.call("svc_revoke_token", { token_id: created["id"] }) };
  });
}

async function revokeAdminKeys({ controlPlane, subject }: Gatehouse, count: number): Promise<Times> {
  const name = `bench-${process.pid}`;
  let made = 0;
  return await revokeAll(count, async (agent) => {
    made += 1;
    const created = await controlPlane.call("svc_create_admin_key", { name: `${name}-${made}`, role: "viewer" });
    const call = { port: subject.port, path: "/control/mcp", credential: textOf(created, "key"), agent };
    return {
      call,
      revoke: async () => await controlPlane.call("svc_revoke_admin_key", { admin_key_id: created["id"] }),
    };
  });
}

interface Probe {
  readonly port: number;
  readonly path: string;
  readonly credential: string;
  readonly agent: Agent;
}

interface Revocable {
  readonly call: Probe;
  readonly revoke: () => Promise<unknown>;
}

async function revokeAll(count: number, create: (agent: Agent) => Promise<Revocable>): Promise<Times> {
  const times: number[] = [];
  const agent = new KeepAlive({ keepAlive: true });
  try {
    for (let index = 0; index < count; index += 1) {
      const { call, revoke } = await create(agent);
      // Separate addresses, since one with many refused credentials is delayed.
      const from = `10.0.${index >> 8}.${index & 255}`;
      // Caches the credential in the router, so that the revocation must be pushed.
      if (await isRefused(call, from)) throw new Error("A new credential was refused.");
      await revoke();
      times.push(await untilRefused(call, from));
    }
  } finally {
    agent.destroy();
  }
  return times;
}

async function untilRefused(call: Probe, from: string): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < waitMsMax) {
    if (await isRefused(call, from)) return performance.now() - startedAt;
  }
  return Number.POSITIVE_INFINITY;
}

/** @throws Error for any other answer: waiting for a refusal would then prove nothing */
async function isRefused(call: Probe, from: string): Promise<boolean> {
  const status = await statusOf(call, from);
  if (status === 429 || status >= 500) throw new Error(`A probe of a credential was answered with ${status}.`);
  return status === 401;
}

async function statusOf({ port, path, credential, agent }: Probe, from: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${credential}`,
      "content-type": "application/json",
      "x-forwarded-for": from,
    };
    const req = request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (res) => {
      res.resume().once("end", () => resolve(res.statusCode ?? 0));
    });
    req.once("error", reject).end("{}");
  });
}

const shares = [0.5, 0.95, 0.99, 1] as const;

function revocationTable(of: Readonly<Record<"tokens" | "adminKeys", Times>>): Table {
  return {
    title: `Milliseconds from the answer to a revocation to the first refusal, ${of.tokens.length} each`,
    columns: ["credential", "p50", "p95", "p99", "most"],
    rows: Object.entries(of).map(([name, times]) => [name, ...shares.map((q) => formatNumber(quantile(times, q)))]),
  };
}

function revocationGoal(name: string, times: Times): Goal {
  const p99 = quantile(times, 0.99);
  return {
    name: `p99 until a revocation of ${name} is in force`,
    limit: `≤ ${revokedWithinMs} ms`,
    measured: `${formatNumber(p99)} ms of ${times.length}`,
    reached: p99 <= revokedWithinMs,
  };
}

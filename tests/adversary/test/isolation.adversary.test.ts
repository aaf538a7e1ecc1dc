import { setTimeout as delay } from "node:timers/promises";
import { chunk, type UpstreamScript } from "@gatehouse/e2e";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HostileJob, whileAttacking } from "../src/isolation/hostile-clients.ts";
import { startVictim, type Victim, type VictimFigures } from "../src/isolation/victim.ts";
import { costlySchema, everyGuard } from "../src/places/site.ts";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

const intervalMs = 8_000;
/** First interval under attack, whose times are printed but not asserted; refusals count as in any other. */
const firstMs = 2_000;
/** Pairs of a quiet and a hostile interval. A quiet one is long enough to refill the burst of bodies. */
const pairs = 3;
const slowdownMax = 2;

let world: AdversaryWorld;
let victim: Victim;
let job: HostileJob;
let honest: Parameters<Victim["run"]>[0];

/** Streams words as long as a client listens, with back-pressure. */
const endless: UpstreamScript = async (_request, res) => {
  res.writeHead(200, { "content-type": "text/event-stream" });
  while (!res.destroyed) {
    res.write(chunk({ content: "word ".repeat(200) }));
    await delay(20);
  }
};

beforeAll(async () => {
  // With the default rates of bodies.
  world = await openAdversaryWorld({ BODY_BYTES_PER_SECOND: "", BODY_BURST_BYTES: "" });
  victim = await startVictim();
  const own = await world.project({ rate_limit_per_minute: null, rate_limit_per_hour: null });
  await world.control.call("svc_create_provider", {
    name: "honest",
    kind: "openai-compatible",
    base_url: victim.providerUrl,
  });
  const { path, token } = await world.endpoint({ targets: [{ provider: "honest", model: "m" }] }, own);
  const pid = world.product.processes[0]?.process.pid;
  if (pid === undefined) throw new Error("The product has no process to watch.");
  honest = { url: world.product.url, path, token, ms: intervalMs, pid };
  job = await furnishHostile();
});
afterAll(async () => {
  await victim.stop();
  await world.stop();
});

/** An ordinary project with the default limits. */
async function furnishHostile(): Promise<HostileJob> {
  const { control, upstream, product } = world;
  const tool = (at: number) => ({ name: `t${at}`, description: "d".repeat(5_000), inputSchema: { type: "object" } });
  const tools = Array.from({ length: 100 }, (_, at) => tool(at));
  upstream.play(async (request, res) => {
    if (request.path.startsWith("/v1/")) return await endless(request, res);
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ jsonrpc: "2.0", id: request.body["id"], result: { tools } }));
  });
  await control.call("svc_create_provider", {
    name: "endless",
    kind: "openai-compatible",
    base_url: `${upstream.url}/v1`,
  });
  const chat = await world.project({ scopes: ["chat", "mcp"] });
  await world.endpoint({ slug: "plain" }, chat);
  await world.endpoint({ slug: "capped", max_request_tokens: 1_000 }, chat);
  await world.endpoint({ slug: "shaped", input_schema: costlySchema }, chat);
  await world.endpoint(
    { slug: "endless", streaming_enabled: true, targets: [{ provider: "endless", model: "m" }] },
    chat,
  );
  const { uuid } = await world.endpoint({ slug: "guarded" }, chat);
  await control.call("svc_set_guardrails", { endpoint: uuid, ...everyGuard });
  const mcp = await world.project({ type: "mcp_gateway", scopes: ["mcp"] });
  await control.call("svc_create_upstream", { project: mcp.project, prefix: "up", url: upstream.url });
  return { url: product.url, chat, mcp };
}

// The bar is missed (docs/security.md, "Known limits"), so only ADVERSARY_ISOLATION=1 measures it.
test.runIf(process.env["ADVERSARY_ISOLATION"] === "1")(
  "64 hostile connections leave another project's p99 within twice its quiet value",
  async () => {
    await victim.run({ ...honest, ms: 1_000 });
    // Warm-up: at first the product starts threads and compiles code.
    const first = await whileAttacking(job, async () => await victim.run({ ...honest, ms: firstMs }));
    const quiets: VictimFigures[] = [];
    const hostiles: VictimFigures[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      quiets.push(await victim.run(honest));
      hostiles.push(await whileAttacking(job, async () => await victim.run(honest)));
    }
    const pairsText = quiets.map((quiet, at) => describePair(quiet, hostiles[at]));
    const told = [`first: ${describe(first)}`, ...pairsText].join("\n");
    console.log(told);
    expect(Math.max(first.refused, ...hostiles.map(({ refused }) => refused)), told).toBe(0);
    // Other programs only slow calls down, so the best interval of each kind is the most accurate.
    const best = (figures: readonly VictimFigures[]) => Math.min(...figures.map(({ p99Ms }) => p99Ms));
    expect(best(hostiles) / best(quiets), told).toBeLessThanOrEqual(slowdownMax);
  },
);

function describePair(quiet: VictimFigures, hostile: VictimFigures | undefined): string {
  return `quiet: ${describe(quiet)}; hostile: ${hostile === undefined ? "–" : describe(hostile)}`;
}

function describe({ p50Ms, p99Ms, p99OwnMs, calls, refused }: VictimFigures): string {
  const p99 = `p99 ${p99Ms.toFixed(1)} ms (${p99OwnMs.toFixed(1)} ms without other programs)`;
  return `p50 ${p50Ms.toFixed(1)} ms, ${p99}, ${refused} of ${calls} refused`;
}

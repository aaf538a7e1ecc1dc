import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendStreaming, streamedText } from "../src/chat-client.ts";
import {
  ControlPlaneClient,
  createProject,
  type Json,
  type ProjectFixture,
  uniqueName,
} from "../src/control-plane-client.ts";
import { type Product, startStandalone } from "../src/product.ts";
import { type ReceivedRequest, ScriptedProvider } from "../src/scripted-provider.ts";
import { lateMs, type Run, type Scenario, scenarios, type Verdict } from "./faults/crash-lab.ts";
import { voices } from "./faults/fault-scripts.ts";

/**
 * Sixteen provider faults of a public catalogue, streamed, with one primary and one backup for all: no fault may affect the
 * result of another. Time is scaled down; the service's own bounds are seconds.
 */

const columns: Readonly<Record<string, { readonly settings: Json; readonly retries: number }>> = {
  "by default": { settings: {}, retries: 0 },
  "mid_stream: continue, retries: 1": {
    settings: { mid_stream: "continue", first_token_timeout_ms: lateMs / 2 },
    retries: 1,
  },
  "mid_stream: hold, retries: 1": {
    settings: { mid_stream: "hold", first_token_timeout_ms: lateMs / 2 },
    retries: 1,
  },
};

const expected: Readonly<Record<string, Partial<Record<string, Verdict>>>> = {
  "by default": { S01: "partial", S03: "partial", S08: "safe", S09: "safe", S10: "safe", S14: "safe" },
  "mid_stream: continue, retries: 1": { S14: "safe" },
  "mid_stream: hold, retries: 1": {},
};

let product: Product;
let control: ControlPlaneClient;
let wrapper: ProjectFixture;
let primary: ScriptedProvider;
let backup: ScriptedProvider;
/** Output prices: whole dollars identify the primary, fractions the backup. */
const prices = {
  primary: { input_price_per_million: 0, output_price_per_million: 1_000_000 },
  backup: { input_price_per_million: 0, output_price_per_million: 1 },
};
/** All error messages that callers received. */
const errors: string[] = [];
const names = { primary: uniqueName("primary"), backup: uniqueName("backup") };

beforeAll(async () => {
  const bounds = {
    HEADERS_TIMEOUT: "4000",
    FIRST_TOKEN_TIMEOUT: "4000",
    FIRST_TOKEN_FAILOVER: "1000",
    IDLE_TIMEOUT: "1500",
  };
  const env = Object.fromEntries(Object.entries(bounds).map(([name, ms]) => [`PROVIDER_${name}_MS`, ms]));
  product = await startStandalone({ env });
  control = new ControlPlaneClient(product);
  wrapper = await createProject(control, { type: "ai_wrapper", rate_limit_per_minute: null });
  [primary, backup] = await Promise.all([ScriptedProvider.start(), ScriptedProvider.start()]);
  await control.call("svc_create_provider", {
    name: names.primary,
    kind: "openai-compatible",
    base_url: primary.baseUrl,
  });
  await control.call("svc_create_provider", {
    name: names.backup,
    kind: "openai-compatible",
    base_url: backup.baseUrl,
  });
});
afterAll(async () => {
  await Promise.all([product.stop(), primary.stop(), backup.stop()]);
});

async function run(scenario: Scenario, column: string): Promise<Run> {
  const { settings, retries } = columns[column] ?? { settings: {}, retries: 0 };
  const model = uniqueName(scenario.id.toLowerCase());
  const targets = [
    { provider: names.primary, model, retries, ...prices.primary },
    { provider: names.backup, model, ...prices.backup },
  ];
  const slug = uniqueName("lab");
  await control.call("svc_create_endpoint", { project: wrapper.project, slug, targets, ...settings });
  let primaryAsked = 0;
  primary.play(async (request: ReceivedRequest, res) => await scenario.primary(primaryAsked++)(request, res));
  backup.play(scenario.backup);
  const texts: (string | undefined)[] = [];
  for (let call = 0; call < scenario.calls; call += 1) texts.push(await ask(slug));
  return { texts, primaryAsked, backupAsked: backup.received.length };
}

/** The whole text; undefined for an error before or in the stream. */
async function ask(model: string): Promise<string | undefined> {
  const body = {
    model,
    messages: [{ role: "user", content: "Say all of it." }],
    stream: true,
    stream_options: { include_usage: true },
  };
  const { token } = wrapper;
  const reply = await sendStreaming(product, `/api/${wrapper.project}/v1/chat/completions`, { token, body });
  const last = reply.events.at(-1);
  if (last !== "[DONE]") errors.push(JSON.stringify(reply));
  if (reply.status !== 200 || (last !== "[DONE]" && last?.["error"] !== undefined)) return undefined;
  return last === "[DONE]" ? streamedText(reply) : "the stream just ends";
}

const verdicts = new Map<string, Verdict>();

describe.each(Object.keys(columns))("%s", (column) => {
  test.each(scenarios)("$id $name", async (scenario) => {
    const seen = await run(scenario, column);
    const verdict = scenario.judge(seen);
    verdicts.set(`${scenario.id} ${column}`, verdict);
    expect({ ...seen, verdict }).toMatchObject({ verdict: expected[column]?.[scenario.id] ?? "pass" });
  });
});

test("errors describe a failure in words, without the transport's codes", () => {
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.filter((text) => /UND_ERR|ECONN|EPIPE/.test(text))).toEqual([]);
});

test("S16 bills the backup's reported usage, and both parts of a continued answer are logged", async () => {
  const { entries } = await control.call<{ entries: readonly Json[] }>("svc_query_gateway_log", {
    project: wrapper.project,
    limit: 200,
  });
  expect(entries).toContainEqual(
    expect.objectContaining({
      provider: names.backup,
      completion_tokens: voices.backup.usage.completion_tokens,
      status: 200,
    }),
  );
  const continued = entries.filter(({ details }) => (details as Json | undefined)?.["continued"] === true);
  expect(continued).toContainEqual(
    expect.objectContaining({
      provider: names.backup,
      details: expect.objectContaining({ failed_attempts: `${names.primary}:cut` }),
    }),
  );
  for (const { cost_usd: cost } of continued) {
    expect(Number(cost)).toBeGreaterThan(1);
    expect(Number(cost) % 1).toBeGreaterThan(0);
  }
});

test("the table in the docs is what these scenarios give (after a change: vitest -u)", async () => {
  const titles = Object.keys(columns);
  const lines = scenarios.map(
    ({ id, name }) => `| ${[id, name, ...titles.map((title) => verdicts.get(`${id} ${title}`))].join(" | ")} |`,
  );
  const sums = titles.map((title) => {
    const passed = scenarios.filter(({ id }) => verdicts.get(`${id} ${title}`) === "pass").length;
    return `${passed} of ${scenarios.length} pass`;
  });
  const table = [
    `| | Fault of the primary | ${titles.map((title) => (title.includes(":") ? `\`${title}\`` : title)).join(" | ")} |`,
    `| --- | --- |${" --- |".repeat(titles.length)}`,
    ...lines,
    `| | | ${sums.join(" | ")} |`,
  ];
  await expect(`${preface}\n${table.join("\n")}\n`).toMatchFileSnapshot("../../../docs/crash-lab.md");
});

const preface = `# Crash lab

This page shows what a streaming client saw in sixteen provider faults of a public catalogue, rebuilt from their descriptions. One primary and one
backup serve all of them. \`tests/e2e/test/crash-lab.e2e.test.ts\` writes the page; [failover.md](failover.md) explains the rules.

- "Pass" is the result that a careful client would have reached, "partial" a whole answer in another way, "safe" an explicit error, and "fail" a
  broken answer that looks like a whole one.
- By default, \`retries\` is 0: in S01 and S03 the backup answers at once, although another try would have kept the model. A stream of which the caller
  has a part ends with an error (S08, S09, S10, S14). In S07 the backup takes over after \`PROVIDER_FIRST_TOKEN_FAILOVER_MS\`.
`;

import { createTestDatabase } from "@gatehouse/postgres/testing";
import { expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { ControlPlaneClient, createProject, uniqueName } from "../src/control-plane-client.ts";
import { startStandalone } from "../src/product.ts";
import { answer, ScriptedProvider, silence } from "../src/scripted-provider.ts";

/** How long a budget lease outlives the replica that held it, and a margin for a busy machine. */
const leaseBackMs = 25_000;

test("what a killed replica had reserved of a budget comes back by itself, and nothing was spent", async () => {
  const database = await createTestDatabase();
  const provider = await ScriptedProvider.start();
  const first = await startStandalone({ env: { DATABASE_URL: database.url } });
  const control = new ControlPlaneClient(first);
  const name = uniqueName("provider");
  await control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: provider.baseUrl });
  const { project, token } = await createProject(control);
  const targets = [{ provider: name, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 }];
  await control.call("svc_create_endpoint", { project, slug: "s", targets, monthly_budget_usd: 0.02 });
  const path = `/api/${project}/s`;

  // One call holds the whole budget and never ends: the next one finds nothing left.
  provider.play(silence);
  const held = send(first, path, { token, body: { message: "x" } }).catch(() => undefined);
  await expect.poll(() => provider.received.length, { timeout: 5_000 }).toBe(1);
  expect((await send(first, path, { token, body: { message: "x" } })).status).toBe(422);
  for (const child of first.processes) child.process.kill("SIGKILL");
  await first.stop();
  await held;

  const second = await startStandalone({ env: { DATABASE_URL: database.url } });
  provider.play(answer("ok"));
  await expect
    .poll(async () => (await send(second, path, { token, body: { message: "x" } })).status, {
      timeout: leaseBackMs,
      interval: 500,
    })
    .toBe(200);
  // The provider reports 10 tokens: 0.01 dollars, and only of the call that was answered.
  await expect
    .poll(async () => await new ControlPlaneClient(second).call("svc_get_usage", { project }), { timeout: 5_000 })
    .toMatchObject({ total: { requests: 1, cost_usd: 0.01 } });
  await Promise.all([second.stop(), provider.stop()]);
  await database.drop();
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@gatehouse/postgres/testing";
import { expect, test } from "vitest";
import { send } from "../src/chat-client.ts";
import { ControlPlaneClient, createProject, uniqueName } from "../src/control-plane-client.ts";
import { startStandalone } from "../src/product.ts";
import { answer, ScriptedProvider, silence } from "../src/scripted-provider.ts";

/** Time until a killed replica's budget lease expires, and a margin for a busy machine. */
const leaseEndMs = 25_000;

test("reservations of a killed replica are held until its lease expires, and then presumed spent", async () => {
  const database = await createTestDatabase();
  const provider = await ScriptedProvider.start();
  // One data folder, and so one keyring: with another, a product could not open stored secrets, and is not ready.
  const home = await mkdtemp(join(tmpdir(), "gatehouse-crash-"));
  const env = { DATABASE_URL: database.url, GATEHOUSE_HOME: home };
  const first = await startStandalone({ env });
  const control = new ControlPlaneClient(first);
  const name = uniqueName("provider");
  await control.call("svc_create_provider", { name, kind: "openai-compatible", base_url: provider.baseUrl });
  const { project, token } = await createProject(control);
  const targets = [{ provider: name, model: "m", input_price_per_million: 1_000, output_price_per_million: 1_000 }];
  const { uuid: endpoint } = await control.call<{ uuid: string }>("svc_create_endpoint", {
    project,
    slug: "s",
    targets,
    monthly_budget_usd: 0.02,
  });
  const path = `/api/${project}/s`;

  // A call that never ends reserves the whole budget, so the next one is refused.
  provider.play(silence);
  const held = send(first, path, { token, body: { message: "x" } }).catch(() => undefined);
  await expect.poll(() => provider.received.length, { timeout: 5_000 }).toBe(1);
  const other = await send(first, path, { token, body: { message: "x" } });
  expect([other.status, other.body["error"]]).toEqual([
    429,
    expect.stringContaining("~$0.02 reserved, ~$0.00 spent, budget $0.02."),
  ]);
  for (const child of first.processes) child.process.kill("SIGKILL");
  await first.stop();
  await held;

  const second = await startStandalone({ env });
  provider.play(answer("ok"));
  const again = async () => await send(second, path, { token, body: { message: "x" } });
  await expect.poll(async () => (await again()).status, { timeout: leaseEndMs, interval: 500 }).toBe(422);
  // The provider received the call, so its cost is unknown.
  expect((await again()).body["error"]).toBe(
    "Endpoint monthly budget exhausted: ~$0.02 spent, budget $0.02. Resets at the start of next month.",
  );
  const control2 = new ControlPlaneClient(second);
  await control2.call("svc_update_endpoint", { endpoint, monthly_budget_usd: 0.04 });
  await expect.poll(async () => (await again()).status, { timeout: 5_000 }).toBe(200);
  await Promise.all([second.stop(), provider.stop()]);
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

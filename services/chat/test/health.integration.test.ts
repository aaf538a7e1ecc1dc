import type { Answer } from "@gatehouse/providers/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWrapper, type WrapperHarness } from "./wrapper-harness.ts";

let harness: WrapperHarness;
beforeAll(async () => {
  harness = await startWrapper();
});
afterAll(async () => await harness.stop());

interface Health {
  readonly provider: string;
  readonly state: string;
  readonly resting_until: string | null;
  readonly models: readonly { readonly model: string; readonly [field: string]: unknown }[];
}

async function healthOf(provider: string): Promise<Health | undefined> {
  const { providers } = await harness.admin.call<{ providers: Health[] }>("svc_get_provider_health", {});
  return providers.find((one) => one.provider === provider);
}

const messages = [{ role: "user", content: "Hello" }];
const ask = async (alias: string) => await harness.post("chat/completions", { model: alias, messages });
const modelOf = (body: string) => (JSON.parse(body) as { model: string }).model;

/** Answers 429 for the named models, and normally for others. */
const limiting =
  (...models: readonly string[]): Answer =>
  (res, { body }) => {
    const model = modelOf(body);
    if (models.includes(model)) {
      res.writeHead(429, { "content-type": "application/json", "retry-after": "60" });
      res.end(JSON.stringify({ error: { message: "Slow down" } }));
      return;
    }
    const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model, choices }));
  };

test("a 429 of one model does not affect other models of the key, and health shows it by model", async () => {
  const [main, backup] = [
    await harness.provider("openai-compatible", `${harness.upstreamUrl}/v1`),
    await harness.provider("mock"),
  ];
  const alias = async (model: string) =>
    await harness.alias({
      targets: [
        { provider: main, model },
        { provider: backup, model: "backup" },
      ],
    });
  const [busy, free] = [await alias("busy"), await alias("free")];
  harness.play(limiting("busy"));
  for (const slug of [busy, free, busy, free]) expect((await ask(slug)).status).toBe(200);
  expect(harness.received.map(({ body }) => modelOf(body))).toEqual(["busy", "free", "free"]);

  const health = await healthOf(main);
  const aTime = expect.stringMatching(/^\d{4}-/) as string;
  expect(health).toMatchObject({ state: "closed", resting_until: aTime });
  expect(health?.models).toEqual([
    {
      model: "busy",
      state: "closed",
      consecutive_failures: 1,
      last_failure: "status_429",
      last_failure_at: aTime,
      last_success_at: null,
      open_until: null,
      resting_until: aTime,
    },
    {
      model: "free",
      state: "closed",
      consecutive_failures: 0,
      last_failure: null,
      last_failure_at: null,
      last_success_at: aTime,
      open_until: null,
      resting_until: null,
    },
  ]);
});

test("a provider's Retry-After is passed on when every target has asked for one", async () => {
  const main = await harness.provider("openai-compatible", `${harness.upstreamUrl}/v1`);
  const targets = ["one", "two"].map((model) => ({ provider: main, model }));
  const alias = await harness.alias({ targets });
  harness.play(limiting("one", "two"));
  const reply = await ask(alias);
  expect([reply.status, reply.headers.get("retry-after")]).toEqual([502, "60"]);
  expect(JSON.parse(reply.text)).toMatchObject({ code: "provider_failed", provider_status: 429, retry_after: 60 });
});

test("a provider whose credentials are all inactive is not called without one", async () => {
  const main = await harness.provider("openai-compatible", `${harness.upstreamUrl}/v1`);
  const alias = await harness.alias({ provider: main });
  harness.play(limiting());
  expect((await ask(alias)).status).toBe(200);
  const { credentials } = await harness.admin.call<{ credentials: { id: number }[] }>("svc_list_credentials", {
    provider: main,
  });
  const switchKey = async (isActive: boolean) => {
    const [key] = credentials;
    await harness.admin.call("svc_set_credential_active", { credential_id: key?.id, is_active: isActive });
    harness.play(limiting());
  };
  await switchKey(false);
  const refused = await ask(alias);
  expect([refused.status, harness.received]).toEqual([502, []]);
  expect(refused.text).toContain(`provider '${main}' has no active credential`);
  await switchKey(true);
  expect((await ask(alias)).status).toBe(200);
});

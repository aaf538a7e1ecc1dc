import OpenAI, { APIError } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../src/control-plane-client.ts";
import { startStandalone } from "../src/product.ts";
import { answer, chunk, event, fail, type Script, streamThenCut, streamWords } from "../src/scripted-provider.ts";
import { createWrapperWorld, type WrapperWorld } from "./suite/wrapper-world.ts";

/**
 * OpenAI's own client with every kind of answer and fault: it must return the whole text or throw. An empty or truncated answer
 * that looks complete is the fault under test.
 */

const words = ['{"say": "Write to ', "ann@example.com", ' about it.", ', '"end": true}'];
const text = words.join("");
const masked = /^\{"say": "Write to \S.* about it\.", "end": true\}$/;

const policies: Readonly<Record<string, Json | undefined>> = {
  "no policy": undefined,
  "a policy that blocks": { keywords: ["falcon"], apply_to_output: true },
  "a policy that masks": { pii: { mode: "mask" }, apply_to_output: true },
};
const schemas: Readonly<Record<string, Json>> = {
  "no schema": {},
  "an output schema": { output_schema: { type: "object", required: ["end"] } },
};
const forms: readonly Json[] = [
  { mid_stream: "error" },
  { mid_stream: "hold" },
  { mid_stream: "continue" },
  { streaming_enabled: false },
];

/** One script for complete and streamed answers. */
const either =
  (whole: Script, streamed: Script): Script =>
  (request, res) =>
    request.body["stream"] === true ? streamed(request, res) : whole(request, res);

const endsAfter =
  (bytes: string): Script =>
  (_request, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const word of words.slice(0, 2)) res.write(chunk({ content: word }));
    res.end(bytes);
  };
const halfOfJson: Script = (_request, res) => {
  res.writeHead(200, { "content-type": "application/json" }).end('{"choices": [');
};

const faults: Readonly<Record<string, Script>> = {
  none: either(answer(text), streamWords(words)),
  "500": fail(500),
  "400": fail(400),
  "cut in the middle": either(halfOfJson, streamThenCut(words.slice(0, 2))),
  "end without a finish": either(halfOfJson, endsAfter("")),
  "[DONE] without a finish": either(halfOfJson, endsAfter(event("[DONE]"))),
  "a malformed event": either(halfOfJson, endsAfter('data: {"choices": [{"del\n\n')),
  "an error event": either(fail(503), endsAfter(event({ error: { message: "overloaded", type: "overloaded_error" } }))),
  "an answer that is blocked": either(answer(text.replace("Write", "falcon")), streamWords(["falcon", ...words])),
  "no JSON": either(answer("Write it down."), streamWords(["Write ", "it down."])),
};

let world: WrapperWorld;
const aliases = new Map<string, string>();

const combinations = Object.keys(policies).flatMap((policy) =>
  Object.keys(schemas).flatMap((schema) => forms.map((form) => ({ policy, schema, form, name: JSON.stringify(form) }))),
);

beforeAll(async () => {
  world = await createWrapperWorld(await startStandalone());
  for (const { policy, schema, form, name } of combinations) {
    const slug = await world.alias({ ...schemas[schema], ...form });
    aliases.set([policy, schema, name].join(), slug);
    const guardrails = policies[policy];
    if (guardrails === undefined) continue;
    const { endpoints } = await world.control.call<{ endpoints: { slug: string; uuid: string }[] }>(
      "svc_list_endpoints",
      { project: world.project, limit: 200 },
    );
    const endpoint = endpoints.find((one) => one.slug === slug)?.uuid ?? "";
    await world.control.call("svc_set_guardrails", { endpoint, ...guardrails });
  }
  await world.control.call("svc_update_project", { project: world.project, rate_limit_per_minute: null });
});
afterAll(async () => {
  await world.product.stop();
  await world.stop();
});

interface Ending {
  readonly text: string;
  readonly thrown: unknown;
}

/** Each way in which OpenAI's client returns a text: parts of a stream as they arrive, or the whole. */
const surfaces = {
  async *chat(client: OpenAI, model: string, stream: boolean): AsyncGenerator<string> {
    const request = { model, messages: [{ role: "user" as const, content: "Say it." }] };
    if (stream) {
      const chunks = await client.chat.completions.create({ ...request, stream: true });
      for await (const { choices } of chunks) yield choices[0]?.delta.content ?? "";
    } else {
      yield (await client.chat.completions.create(request)).choices[0]?.message.content ?? "";
    }
  },
  async *completions(client: OpenAI, model: string, stream: boolean): AsyncGenerator<string> {
    const request = { model, prompt: "Say it." };
    if (stream) {
      const chunks = await client.completions.create({ ...request, stream: true });
      for await (const { choices } of chunks) yield choices[0]?.text ?? "";
    } else {
      yield (await client.completions.create(request)).choices[0]?.text ?? "";
    }
  },
} as const;

const createClient = () => new OpenAI({ baseURL: world.baseUrl(), apiKey: world.token, maxRetries: 0 });

async function ask(parts: AsyncIterable<string>): Promise<Ending> {
  let said = "";
  try {
    for await (const part of parts) said += part;
    return { text: said, thrown: undefined };
  } catch (err) {
    return { text: said, thrown: err };
  }
}

/** Every combination of a surface with a stream or without. */
const callers = (["chat", "completions"] as const).flatMap((surface) => [
  { surface, stream: true },
  { surface, stream: false },
]);

describe.each(combinations)("$policy, $schema, $name", ({ policy, schema, name }) => {
  const model = () => aliases.get([policy, schema, name].join()) ?? "";

  test.each(callers)("$surface, stream: $stream, ends with the whole text or throws", async ({ surface, stream }) => {
    const askModel = async () => await ask(surfaces[surface](createClient(), model(), stream));
    for (const [fault, script] of Object.entries(faults)) {
      // Faults of one endpoint's provider must not make the next answer a refusal of its circuit.
      world.provider.play(faults["none"] ?? script);
      const well = await askModel();
      expect([fault, well.thrown]).toEqual([fault, undefined]);
      if (policy.endsWith("masks")) expect(well.text).toMatch(masked);
      else expect(well.text).toBe(text);
      world.provider.play(script);
      const { text: said, thrown } = await askModel();
      if (thrown !== undefined) expect([fault, thrown]).toEqual([fault, expect.any(APIError)]);
      else if (fault === "no JSON" && schema === "no schema") expect(said).toBe("Write it down.");
      else if (fault === "an answer that is blocked" && !policy.endsWith("blocks"))
        expect(said).toMatch(/"end": true\}$/);
      else expect([fault, said.endsWith('"end": true}')]).toEqual(["none", true]);
    }
  });
});

describe("embeddings", () => {
  const embedded = [0.5, -0.25];
  const vectors = (...data: readonly object[]): Script => {
    const body = { object: "list", data, model: "m", usage: { prompt_tokens: 2, total_tokens: 2 } };
    return (_request, res) => {
      res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
  };
  const vector = (index: number, embedding: unknown = embedded) => ({ object: "embedding", index, embedding });
  const broken: Readonly<Record<string, Script>> = {
    "500": fail(500),
    "400": fail(400),
    "cut in the middle": halfOfJson,
    "no vector": vectors(),
    "one vector too few": vectors(vector(0)),
    "one vector twice": vectors(vector(0), vector(0)),
    "no numbers": vectors(vector(0), vector(1, 7)),
  };

  test.each(Object.keys(policies))("%s: all vectors arrive, or the client throws", async (policy) => {
    const model = aliases.get([policy, "no schema", JSON.stringify(forms[0])].join()) ?? "";
    const request = { model, input: ["one", "two"], encoding_format: "float" as const };
    for (const [fault, script] of Object.entries(broken)) {
      world.provider.play(vectors(vector(0), vector(1)));
      const { data } = await createClient().embeddings.create(request);
      expect([fault, data.map(({ embedding }) => embedding)]).toEqual([fault, [embedded, embedded]]);
      world.provider.play(script);
      await expect(createClient().embeddings.create(request), fault).rejects.toThrow(APIError);
    }
  });
});

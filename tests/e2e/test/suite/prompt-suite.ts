import { expect, test } from "vitest";
import { send } from "../../src/chat-client.ts";
import { answer, streamWords } from "../../src/scripted-provider.ts";
import { expectStreamOf, openChat, user } from "./chat-caller.ts";
import type { World } from "./world.ts";

/** Prompts with variables, the cap of their tokens, and the schemas of bodies and answers. */
export function describePrompts(world: () => World): void {
  const { chat } = openChat(world);

  test("variables fill the prompt, and a missing one is named", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint({ system_prompt: "Answer {{name}} in {{language}}." });
    primary.play(answer("ok"));
    const variables = { name: "<Ann>", language: "German" };
    expect((await send(product, path, { token, body: { message: "x", variables } })).status).toBe(200);
    expect(primary.received[0]?.body.messages[0]).toEqual({ role: "system", content: "Answer <Ann> in German." });
    const refused = await send(product, path, { token, body: { message: "x", variables: { name: "Ann" } } });
    expect([refused.status, refused.body["error"]]).toEqual([
      400,
      "Missing variable 'language': send it in 'variables'.",
    ]);
    expect((await send(product, path, { token, body: { message: "x", variables: { name: {} } } })).status).toBe(400);
  });

  test("a prompt over the per-request cap, the endpoint's own text included, is refused with the estimate", async () => {
    const { primary, endpoint } = world();
    primary.play(answer("ok"));
    const capped = await endpoint({ max_request_tokens: 40, system_prompt: "Be brief." });
    expect((await chat({ message: "short" }, capped)).status).toBe(200);
    const estimateOf = async (words: number) => {
      const { status, body } = await chat({ message: "word ".repeat(words) }, capped);
      expect(status).toBe(422);
      const [, estimate] =
        /^Request exceeds endpoint per-request token limit: ~(\d+) tokens estimated, cap is 40\.$/.exec(
          String(body["error"]),
        ) ?? [];
      return Number(estimate);
    };
    // A real tokenizer: a thousand short words are about a thousand tokens.
    const [hundred, thousand] = [await estimateOf(100), await estimateOf(1_000)];
    expect(hundred).toBeGreaterThanOrEqual(100);
    expect(hundred).toBeLessThan(120);
    expect(thousand).toBeGreaterThan(950);
    expect(thousand).toBeLessThan(1_100);
    const prompted = await endpoint({ max_request_tokens: 50, system_prompt: "word ".repeat(60) });
    expect((await chat({ message: "short" }, prompted)).status).toBe(422);
    expect(primary.received).toHaveLength(1);
  });

  test("Validation failed: the input schema, with the JSON pointer of every violation (422)", async () => {
    world().primary.play(answer("ok"));
    const checked = await world().endpoint({
      input_schema: {
        type: "object",
        properties: {
          message: { type: "string", minLength: 3 },
          stream: { const: false },
          tags: { type: "array", items: { type: "object", properties: { "a/b": { type: "integer" } } } },
        },
      },
    });
    const short = await chat({ message: "x" }, checked);
    expect(short.status).toBe(422);
    expect(short.body).toMatchObject({
      ok: false,
      error: "Validation failed: /message must NOT have fewer than 3 characters",
    });
    const more = await chat({ message: "x", stream: true, tags: [{}, { "a/b": "1" }] }, checked);
    expect(more.status).toBe(422);
    for (const violation of [
      "/message must NOT have fewer than 3 characters",
      "/stream must be equal to constant",
      "/tags/1/a~1b must be integer",
    ])
      expect(more.body["error"]).toContain(violation);
    expect(more.body["error"]).toMatch(/^Validation failed: /);
    expect(world().primary.received).toHaveLength(0);
    expect((await chat({ message: "long enough" }, checked)).status).toBe(200);
  });

  test("the input schema validates the body as sent, and alone forbids unknown fields", async () => {
    const input_schema = {
      type: "object",
      properties: { message: { type: "string", minLength: 3 }, locale: { enum: ["de", "en"] } },
      required: ["locale", "message"],
      additionalProperties: false,
    };
    const checked = await world().endpoint({ input_schema });
    world().primary.play(answer("ok"));
    expect((await chat({ message: "long", locale: "de" }, checked)).status).toBe(200);
    const refused = await chat({ message: "x", extra: 1 }, checked);
    expect(refused.status).toBe(422);
    expect(refused.body["error"]).toBe(
      "Validation failed: / must have required property 'locale'; / must NOT have additional properties: 'extra'; /message must NOT have fewer than 3 characters",
    );
    const extra = await chat({ message: "long", locale: "de", colour: "red" }, checked);
    expect([extra.status, extra.body["error"]]).toEqual([
      422,
      "Validation failed: / must NOT have additional properties: 'colour'",
    ]);
    const absent = await chat({ messages: [user("long")] }, checked);
    expect(absent.body["error"]).toMatch(/must have required property 'message'/);
  });

  test("the output schema validates the model's text, parsed as JSON, before a stream of it begins", async () => {
    const { primary } = world();
    const output_schema = {
      type: "object",
      properties: { mood: { enum: ["good", "bad"] }, n: { type: "integer" } },
      required: ["mood"],
    };
    const checked = await world().endpoint({ output_schema, streaming_enabled: true });
    const call = async (text: string, stream: boolean) => {
      primary.play(
        ({ body }, res) =>
          void (body["stream"] === true ? streamWords([text.slice(0, 3), text.slice(3)]) : answer(text))(
            { body } as never,
            res,
          ),
      );
      return await chat({ message: "x", stream }, checked);
    };
    const good = await call('{"mood": "good"}', false);
    expect([good.status, good.body["content"]]).toEqual([200, '{"mood": "good"}']);
    expectStreamOf(await call('{"mood": "good"}', true), '{"mood": "good"}');
    for (const stream of [false, true]) {
      const sour = await call('{"mood": "sour"}', stream);
      expect(sour.status).toBe(502);
      expect(sour.body).toEqual({
        ok: false,
        error: 'Validation failed: /mood must be equal to one of the allowed values: "good", "bad"',
      });
      const typed = await call('{"mood": "good", "n": "one"}', stream);
      expect([typed.status, typed.body]).toEqual([502, { ok: false, error: "Validation failed: /n must be integer" }]);
      const text = await call("fine, thanks", stream);
      expect([text.status, text.body["error"]]).toEqual([502, "Validation failed: output is not valid JSON"]);
      expect(primary.received[0]?.body["stream"]).not.toBe(true);
      expect(primary.received[0]?.body["response_format"]).toMatchObject({ type: "json_schema" });
    }
  });
}

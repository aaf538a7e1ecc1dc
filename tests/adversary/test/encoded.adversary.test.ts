import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { answer } from "@gatehouse/e2e";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

const mebibyte = 1024 * 1024;
const atOnce = 32;

interface Surface {
  readonly path: string;
  readonly token: string;
  readonly body: object;
}

let world: AdversaryWorld;
let surfaces: Readonly<Record<string, Surface>>;
beforeAll(async () => {
  world = await openAdversaryWorld();
  const limits = { rate_limit_per_minute: null, rate_limit_per_hour: null };
  const gateway = await world.project({ ...limits, scopes: ["chat", "mcp"] });
  const chat = await world.endpoint({}, gateway);
  const alias = await world.endpoint({}, await world.project({ ...limits, type: "ai_wrapper" }));
  const tools = await world.project({ ...limits, type: "mcp_gateway", scopes: ["mcp"] });
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const wrapper = `/api/${alias.project}/v1`;
  const said = { model: alias.slug, messages: [{ role: "user", content: "Hello" }] };
  surfaces = {
    "the chat route": { ...chat, body: { message: "Hello" } },
    "the Wrapper": { token: alias.token, path: `${wrapper}/chat/completions`, body: said },
    "the Wrapper's completions": {
      token: alias.token,
      path: `${wrapper}/completions`,
      body: { model: alias.slug, prompt: "x" },
    },
    "MCP Bridge": { token: gateway.token, path: `/api/${gateway.project}/mcp`, body: ping },
    "MCP Gateway": { token: tools.token, path: `/api/${tools.project}/mcp`, body: ping },
  };
});
afterAll(async () => await world.stop());

/** Expands to 64 MiB; padded after the end of the stream, since small bodies may not expand so much. */
const brotliPadded = Buffer.concat([brotliCompressSync(Buffer.alloc(64 * mebibyte)), Buffer.alloc(64 * 1024)]);

const names = ["the chat route", "the Wrapper", "the Wrapper's completions", "MCP Bridge", "MCP Gateway"];

describe.each(names)("on %s", (name) => {
  const send = async (coding: string, bytes: Buffer) => {
    const { path, token } = surfaces[name] ?? { path: "", token: "" };
    return (await world.ask(path, { token, body: bytes, headers: { "content-encoding": coding } })).status;
  };

  test("compressed bodies are accepted", async () => {
    world.provider.play(answer("Hi"));
    const text = JSON.stringify(surfaces[name]?.body);
    expect(await send("gzip", gzipSync(text))).toBe(200);
    expect(await send("deflate", deflateSync(text))).toBe(200);
    expect(await send("br", brotliCompressSync(text))).toBe(200);
  });

  test("decompression bombs are refused, without an effect on other callers", async () => {
    // Bodies of 64 KiB, so that each may expand to the bound of all bodies.
    const bombs = { gzip: gzipSync(Buffer.alloc(64 * mebibyte)), br: brotliPadded };
    await world.meter.expectHarmless(async () => {
      for (const [coding, bomb] of Object.entries(bombs)) {
        const statuses = await Promise.all(Array.from({ length: atOnce }, async () => await send(coding, bomb)));
        // A project over its share of bytes is refused before anything is read.
        expect(statuses.filter((status) => status !== 413 && status !== 429)).toEqual([]);
        expect(statuses).toContain(413);
      }
    });
  });
});

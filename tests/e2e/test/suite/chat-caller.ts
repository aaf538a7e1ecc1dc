import { beforeAll, expect } from "vitest";
import { eventsOf, type Exchange, type Fields } from "../../src/exchange.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import type { World } from "./world.ts";

/** Chat calls to a streaming endpoint that a suite shares, or to another. */
export interface ChatCaller {
  shared(): EndpointFixture;
  chat(body: unknown, endpoint?: { readonly path: string; readonly token: string }): Promise<Exchange>;
  /** Messages in the last call of the primary provider. */
  sent(): readonly Fields[];
}

/** Call while describing tests. */
export function openChat(world: () => World): ChatCaller {
  let shared: EndpointFixture;
  beforeAll(async () => {
    shared = await world().endpoint({ streaming_enabled: true });
  });
  return {
    shared: () => shared,
    chat: async (body, { path, token } = shared) => await world().ask(path, { token, body }),
    sent: () => (world().primary.received.at(-1)?.body.messages ?? []) as readonly Fields[],
  };
}

/** A message of the user. */
export const user = (content: string) => ({ role: "user", content });

/** Expects a complete stream of OpenAI's chunks with `text`. */
export function expectStreamOf(reply: Exchange, text: string): void {
  expect(reply.headers["content-type"]).toMatch(/^text\/event-stream/);
  const events = eventsOf(reply);
  expect(events.at(-1)).toBe("[DONE]");
  const chunks = events.slice(0, -1) as { choices: { delta: { role?: string; content?: string } }[] }[];
  expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(text);
}

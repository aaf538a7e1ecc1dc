import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { eventsOf } from "../../src/exchange.ts";
import { answer, fail, streamThenCut, streamWords } from "../../src/scripted-provider.ts";
import { expectStreamOf, openChat, user } from "./chat-caller.ts";
import type { World } from "./world.ts";

/** Conversations that the gateway remembers. */
export function describeSessions(world: () => World): void {
  const { shared, chat, sent } = openChat(world);

  test("an unused id creates a session; then history is prepended after the endpoint's prompt", async () => {
    const prompted = await world().endpoint({ system_prompt: "Be brief." });
    const session_id = randomUUID();
    world().primary.play(answer("First answer."));
    const created = await chat({ message: "First", session_id }, prompted);
    expect(created.body["meta"]).toMatchObject({ session_id });
    expect(sent()).toHaveLength(2);
    world().primary.play(answer("Second answer."));
    const resumed = await chat({ message: "Second", session_id }, prompted);
    expect(resumed.body["meta"]).toMatchObject({ session_id });
    expect(sent()).toEqual([
      { role: "system", content: "Be brief." },
      user("First"),
      { role: "assistant", content: "First answer." },
      user("Second"),
    ]);
  });

  test("a session belongs to one token and one endpoint", async () => {
    const session_id = randomUUID();
    world().primary.play(answer("A secret answer."));
    await chat({ message: "A secret", session_id });
    const stranger = await world().newToken(shared().project);
    await chat({ message: "x", session_id }, { path: shared().path, token: stranger.token });
    expect(sent()).toEqual([user("x")]);
    const other = await world().endpoint();
    await chat({ message: "x", session_id }, other);
    expect(sent()).toEqual([user("x")]);
    await chat({ message: "again", session_id });
    expect(sent()).toEqual([user("A secret"), { role: "assistant", content: "A secret answer." }, user("again")]);
  });

  test("the user turn and the model's reply are stored together, only after success", async () => {
    const session_id = randomUUID();
    world().primary.play(fail(400));
    const failed = await chat({ message: "lost", session_id });
    expect(failed.status).toBe(502);
    expect(failed.body).toMatchObject({ ok: false, error: expect.stringMatching(/^Provider call failed: ./) });
    world().primary.play(answer("kept"));
    await chat({ message: "stored", session_id });
    expect(sent()).toEqual([user("stored")]);
    await chat({ message: "then", session_id });
    expect(sent()).toEqual([user("stored"), { role: "assistant", content: "kept" }, user("then")]);
  });

  test("a streamed turn is stored as well; one that broke off is not", async () => {
    const session_id = randomUUID();
    const provider = await world().anotherProvider(world().primary);
    const streamed = await world().endpoint({
      system_prompt: "Be brief.",
      streaming_enabled: true,
      targets: [{ provider, model: "m" }],
    });
    world().primary.play(streamWords(["spoken ", "words"]));
    const spoken = await chat({ message: "one", stream: true, session_id }, streamed);
    expectStreamOf(spoken, "spoken words");
    expect(eventsOf(spoken)[0]).toMatchObject({ meta: { session_id } });
    world().primary.play(streamThenCut(["broken"]));
    await chat({ message: "two", stream: true, session_id }, streamed);
    world().primary.play(answer("ok"));
    await chat({ message: "three", session_id }, streamed);
    expect(sent()).toEqual([
      { role: "system", content: "Be brief." },
      user("one"),
      { role: "assistant", content: "spoken words" },
      user("three"),
    ]);
    world().primary.play(streamWords(["more ", "words"]));
    const resumed = await chat({ message: "four", stream: true, session_id }, streamed);
    expectStreamOf(resumed, "more words");
    expect(eventsOf(resumed)[0]).toMatchObject({ meta: { session_id } });
    world().primary.play(answer("end"));
    await chat({ message: "five", session_id }, streamed);
    expect(sent()).toEqual([
      { role: "system", content: "Be brief." },
      user("one"),
      { role: "assistant", content: "spoken words" },
      user("three"),
      { role: "assistant", content: "ok" },
      user("four"),
      { role: "assistant", content: "more words" },
      user("five"),
    ]);
  });

  test.each(["x", "", 1, 7, null, "abc", "00000000-0000-0000-0000-00000000000"])(
    "session_id %j is refused",
    async (session_id) => {
      world().primary.play(answer("never"));
      const reply = await chat({ message: "x", session_id });
      expect([reply.status, reply.body]).toEqual([400, { ok: false, error: "'session_id' must be a UUID." }]);
      expect(world().primary.received).toHaveLength(0);
    },
  );

  test("without session_id nothing is remembered, and meta has none", async () => {
    world().primary.play(answer("ok"));
    const reply = await chat({ message: "x" });
    expect(reply.body["meta"]).not.toHaveProperty("session_id");
  });

  test("sessions are capped at the newest 100 messages", async () => {
    const session_id = randomUUID();
    world().primary.play(answer("reply"));
    for (let turn = 1; turn <= 53; turn += 1) await chat({ message: `turn ${turn}`, session_id });
    expect(sent().length).toBeLessThanOrEqual(101);
    expect(sent().length).toBeGreaterThanOrEqual(99);
    expect(sent().at(-1)).toEqual(user("turn 53"));
    expect(sent().at(-3)).toEqual(user("turn 52"));
    expect(sent()[0]?.["role"]).toBe("user");
  });
}

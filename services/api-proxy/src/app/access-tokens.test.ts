import { serviceUnavailable } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import type { AccessToken } from "../domain/access-token.ts";
import { oauthFailed } from "../domain/oauth-error.ts";
import { AccessTokens } from "./access-tokens.ts";

const hourMs = 3_600_000;

/** A store of one connection on a clock that the test advances. */
function open(first = tokenAt("t0", 0)) {
  const state = {
    nowMs: 0,
    stored: first as AccessToken | undefined,
    renewals: 0,
    failing: undefined as Error | undefined,
    away: false,
    reads: 0,
  };
  let release: (() => void) | undefined;
  const gate = { held: false };
  const tokens = new AccessTokens(
    async () => {
      state.reads += 1;
      if (state.away) throw serviceUnavailable(new Error("away"));
      return await Promise.resolve(state.stored);
    },
    async () => {
      state.renewals += 1;
      if (gate.held) await new Promise<void>((resolve) => (release = resolve));
      if (state.failing !== undefined) throw state.failing;
      state.stored = tokenAt(`t${state.renewals}`, state.nowMs);
      return state.stored;
    },
    { wallNow: () => state.nowMs, now: () => state.nowMs },
  );
  return { tokens, state, gate, release: () => release?.() };
}

function tokenAt(value: string, obtainedAtMs: number): AccessToken {
  return { value: new Secret(value), obtainedAtMs, expiresAtMs: obtainedAtMs + hourMs };
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));

test("a token is read once, and then returned synchronously", async () => {
  const { tokens } = open();
  const first = await tokens.find(1);
  expect(tokens.find(1)).toBe(first);
});

test("an expired token is read again, and used while it is valid if the database is away", async () => {
  const { tokens, state } = open();
  const first = await tokens.find(1);
  state.away = true;
  tokens.expireAll();
  expect(await tokens.find(1)).toBe(first);
  tokens.expireAll();
  expect(await tokens.find(1)).toBe(first);
  state.nowMs = hourMs;
  await expect(tokens.find(1)).rejects.toMatchObject({ code: "unavailable" });
  state.away = false;
  state.stored = tokenAt("t9", hourMs);
  expect(await tokens.find(1)).toBe(state.stored);
  expect(tokens.find(1)).toBe(state.stored);
});

test("concurrent first callers share a read", async () => {
  const { tokens, state } = open();
  await Promise.all(Array.from({ length: 100 }, async () => await tokens.find(1)));
  expect(state.reads).toBe(1);
});

test("a refused token is replaced although an equal one was read again meanwhile", async () => {
  const { tokens, state } = open();
  const refused = await tokens.find(1);
  tokens.expireAll();
  state.stored = tokenAt("t0", 0);
  await tokens.find(1);
  expect((await tokens.replace(1, refused)).value.reveal()).toBe("t1");
});

test("a token is renewed at four fifths of its life, while the present one is still used", async () => {
  const { tokens, state } = open();
  const first = await tokens.find(1);
  state.nowMs = 0.79 * hourMs;
  expect(tokens.find(1)).toBe(first);
  await settled();
  expect(state.renewals).toBe(0);
  state.nowMs = 0.8 * hourMs;
  expect(tokens.find(1)).toBe(first);
  await settled();
  expect(state.renewals).toBe(1);
  expect(tokens.find(1)).toMatchObject({ obtainedAtMs: 0.8 * hourMs });
});

test("two hundred callers of an expired token wait for one renewal", async () => {
  const { tokens, state, gate, release } = open();
  await tokens.find(1);
  state.nowMs = 2 * hourMs;
  gate.held = true;
  const waiting = Promise.all(Array.from({ length: 200 }, async () => await tokens.find(1)));
  await settled();
  release();
  const found = await waiting;
  expect(state.renewals).toBe(1);
  expect(new Set(found.map(({ value }) => value.reveal()))).toEqual(new Set(["t1"]));
});

test("a refused token is replaced once, for any number of refused calls", async () => {
  const { tokens, state } = open();
  const refused = await tokens.find(1);
  const replaced = await Promise.all([tokens.replace(1, refused), tokens.replace(1, refused)]);
  expect(await tokens.replace(1, refused)).toBe(replaced[0]);
  expect(state.renewals).toBe(1);
});

test("a failed renewal is not repeated at once, and all callers meanwhile get its error", async () => {
  const { tokens, state } = open();
  await tokens.find(1);
  state.nowMs = 2 * hourMs;
  state.failing = oauthFailed("The token endpoint answered invalid_client.");
  await expect(tokens.find(1)).rejects.toMatchObject({ code: "oauth_failed" });
  await expect(tokens.find(1)).rejects.toMatchObject({ code: "oauth_failed" });
  expect(state.renewals).toBe(1);
  state.nowMs += 5_000;
  state.failing = undefined;
  expect(await tokens.find(1)).toMatchObject({ obtainedAtMs: state.nowMs });
});

test("a renewal that fails in the background does not affect a valid token", async () => {
  const { tokens, state } = open();
  const first = await tokens.find(1);
  state.nowMs = 0.9 * hourMs;
  state.failing = oauthFailed("The token endpoint cannot be reached: The connection was refused.");
  expect(tokens.find(1)).toBe(first);
  await settled();
  expect(tokens.find(1)).toBe(first);
  expect(state.renewals).toBe(1);
});

test("a missing connection is an OAuth failure, and is read again the next time", async () => {
  const { tokens, state } = open();
  state.stored = undefined;
  await expect(tokens.find(1)).rejects.toMatchObject({ message: "Upstream OAuth connection failed." });
  state.stored = tokenAt("later", 0);
  expect((await tokens.find(1)).value.reveal()).toBe("later");
});

test("a connection that was changed is read again", async () => {
  const { tokens, state } = open();
  await tokens.find(1);
  state.stored = tokenAt("other", 0);
  tokens.forget(1);
  expect((await tokens.find(1)).value.reveal()).toBe("other");
});

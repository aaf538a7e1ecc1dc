import { hashToken } from "@gatehouse/principal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusal, run, startControlPlane, type TestControlPlane } from "./control-plane.ts";

let plane: TestControlPlane;
let project: string;

beforeAll(async () => {
  plane = await startControlPlane({});
  ({ uuid: project } = await run<{ uuid: string }>(plane.service, "svc_create_project", {
    name: "Shop",
    project_type: "ai_gateway",
  }));
});

afterAll(async () => {
  await plane.stop();
});

interface Token {
  readonly id: number;
  readonly token: string;
}

const create = async (args: object = {}) =>
  await run<Token>(plane.service, "svc_create_token", { project, name: "web", scopes: ["chat"], ...args });
const update = async (token_id: number, args: object) =>
  await run(plane.service, "svc_update_token", { token_id, ...args });
const reachOf = async ({ token }: Token) =>
  (await plane.principals.resolveToken({ tokenHash: hashToken(token) })).principal?.reach;

test("a token's reach is in its answer and in its principal", async () => {
  const reach = { endpoints: ["not-yet-there"], tools: ["up__*"], networks: ["10.0.0.0/8", "2001:db8::1"] };
  const token = await create({ ...reach, endpoints: ["not-yet-there", "not-yet-there"] });
  expect(token).toMatchObject(reach);
  expect(await reachOf(token)).toEqual({
    endpoints: { names: reach.endpoints },
    tools: { names: reach.tools },
    networks: { names: reach.networks },
  });
});

test("a change replaces the lists that it names; null removes one, and an unrestricted reach is null", async () => {
  const token = await create({ endpoints: ["a"], tools: [] });
  expect(await reachOf(token)).toMatchObject({ endpoints: { names: ["a"] }, tools: { names: [] } });
  expect(await update(token.id, { endpoints: ["b", "c"] })).toMatchObject({ endpoints: ["b", "c"], tools: [] });
  expect(await update(token.id, { name: "app" })).toMatchObject({ endpoints: ["b", "c"], tools: [], networks: null });
  expect(await update(token.id, { endpoints: null, tools: null })).toMatchObject({ endpoints: null, tools: null });
  expect(await reachOf(token)).toBeUndefined();
});

test("a list in another order, or with duplicates, is no change", async () => {
  const lists = { endpoints: ["a", "b"], tools: ["x__*", "y"], networks: ["10.0.0.0/8", "192.0.2.1"] };
  const token = await create(lists);
  const reordered = { endpoints: ["b", "a", "b"], tools: ["y", "x__*"], networks: ["192.0.2.1", "10.0.0.0/8"] };
  expect(await update(token.id, reordered)).toMatchObject(lists);
  expect(await update(token.id, { endpoints: ["a"] })).toMatchObject({ endpoints: ["a"] });
});

test("limits of each user are in a token's answer and in its principal, until they are removed", async () => {
  const limits = { user_rate_limit_per_minute: 5, user_monthly_budget_usd: 0.25 };
  const token = await create(limits);
  expect(token).toMatchObject(limits);
  const userLimitsOf = async () =>
    (await plane.principals.resolveToken({ tokenHash: hashToken(token.token) })).principal?.userLimits;
  expect(await userLimitsOf()).toEqual({ perMinute: 5, monthlyBudgetMicros: 250_000 });
  expect(await update(token.id, { name: "app" })).toMatchObject(limits);
  const none = { user_rate_limit_per_minute: null, user_monthly_budget_usd: null };
  expect(await update(token.id, none)).toMatchObject(none);
  expect(await userLimitsOf()).toBeUndefined();
  expect(await refusal(plane.service, "svc_update_token", { token_id: token.id, user_rate_limit_per_minute: 0 })).toBe(
    "-32602 user_rate_limit_per_minute must be from 1 to 1000000000",
  );
});

describe("a reach that breaks a rule is refused, and nothing is changed", () => {
  const long = Array.from({ length: 120 }, (_, index) => `endpoint-of-a-long-name-with-a-number-${index}`);
  test.each<[object, string]>([
    [{ endpoints: "a" }, "endpoints must be array or null"],
    [{ endpoints: ["a", 7] }, "endpoints[1] must be string"],
    [
      { endpoints: ["a*"] },
      "endpoints[0] must be a slug: 1 to 63 characters of a-z, 0-9 and '-', and must not start with '-'",
    ],
    [{ endpoints: Array.from({ length: 201 }, () => "a") }, "endpoints must have from 0 to 200 items"],
    [{ tools: [""] }, "tools[0] must not be empty"],
    [{ tools: ["a\nb"] }, "tools[0] must not have control characters"],
    [{ tools: ["a".repeat(257)] }, "tools[0] must have at most 256 characters"],
    [{ networks: [] }, "networks must have from 1 to 100 items"],
    [
      { networks: ["10.0.0.0/33"] },
      "networks[0] must be a network such as 10.0.0.0/8 or 2001:db8::/32, not 10.0.0.0/33",
    ],
    [{ endpoints: long, tools: long }, "endpoints, tools and networks must have at most 6000 characters together"],
  ])("%#", async (args, message) => {
    const create = { project, name: "web", scopes: ["chat"], ...args };
    expect(await refusal(plane.service, "svc_create_token", create)).toBe(`-32602 ${message}`);
  });

  test("even if only the change and the present reach together break it", async () => {
    const token = await create({ tools: long });
    expect(await refusal(plane.service, "svc_update_token", { token_id: token.id, endpoints: long })).toBe(
      "-32602 endpoints, tools and networks must have at most 6000 characters together",
    );
    expect(await reachOf(token)).toEqual({ endpoints: undefined, tools: { names: long }, networks: undefined });
  });
});

test("routers are notified of a change of reach, and its event says which lists", async () => {
  const token = await create();
  const watching = new AbortController();
  const changes = plane.principals.watchPrincipals({}, { signal: watching.signal })[Symbol.asyncIterator]();
  await changes.next();
  await update(token.id, { endpoints: ["a"] });
  expect((await changes.next()).value).toMatchObject({ subject: { $case: "tokenId", value: token.id } });
  watching.abort();
  await changes.return?.();
});

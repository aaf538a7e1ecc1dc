import { GatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { planChanges } from "../domain/configuration/plan.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";
import { PlanRun } from "./plan-run.ts";

const document = {
  version: 1,
  projects: [
    {
      name: "P",
      project_type: "ai_gateway",
      webhooks: [{ name: "w" }],
      tokens: [{ name: "first" }, { name: "second" }],
    },
  ],
};
const noConfiguration: ConfigurationState = { providers: [], projects: [] };
const changes = planChanges(document, noConfiguration);

/** Runs the plan on owners of which one call may fail; each call creates an item with a secret. */
async function apply(failAt: number, failure: unknown) {
  const logged: unknown[] = [];
  let calls = 0;
  const operations = {
    async run() {
      calls += 1;
      if (calls - 1 === failAt) throw failure;
      return await Promise.resolve({
        id: calls,
        uuid: `u-${calls}`,
        name: "P",
        token: `t-${calls}`,
        secret: `s-${calls}`,
        ...(calls === 2 && { warning: "It checks nothing." }),
      });
    },
  };
  const log = { error: (fields: unknown) => void logged.push(fields) };
  const run = new PlanRun({ operations, log: log as never }, document, noConfiguration);
  const { count, secrets, warnings, stop } = await run.applyAll(changes);
  return {
    count,
    secrets: secrets.map(({ secret }) => secret),
    warnings,
    outcome: stop?.outcome,
    message: stop?.message,
    logged,
  };
}

const refused = new GatewayError("already_exists", "It is there.");
const away = new GatewayError("unavailable", "A service of the gateway is not available.");

test("a completed plan returns the secrets of everything it created", async () => {
  expect(changes.map(({ kind }) => kind)).toEqual(["project", "webhook", "token", "token"]);
  expect(await apply(-1, refused)).toMatchObject({ count: 4, secrets: ["s-2", "t-3", "t-4"], outcome: undefined });
});

test("warnings of owners about changes made are in the result", async () => {
  const warning = { kind: "webhook", name: "w", project: "P", warning: "It checks nothing." };
  expect(await apply(-1, refused)).toMatchObject({ warnings: [warning] });
  expect(await apply(2, refused)).toMatchObject({ warnings: [warning] });
});

test("a refusal of the first change changes nothing; a later one keeps the earlier changes", async () => {
  await expect(apply(0, refused)).rejects.toThrow("project P: It is there. Nothing was changed.");
  expect(await apply(2, refused)).toMatchObject({
    count: 2,
    secrets: ["s-2"],
    outcome: "refused",
    message: "token P/first: It is there.",
  });
});

test("without an answer a change may have been made, even the first", async () => {
  const notKnown = "A service of the gateway is not available. Whether it was made is not known";
  expect(await apply(0, away)).toMatchObject({ count: 0, outcome: "unknown", message: `project P: ${notKnown}.` });
  const rotate = "; if it is there, rotate it, since its secret was not shown.";
  const later = await apply(3, away);
  expect(later).toMatchObject({ count: 3, secrets: ["s-2", "t-3"], message: `token P/second: ${notKnown}${rotate}` });
});

test("an unexpected failure is logged, its message hides the cause, and earlier secrets are returned", async () => {
  const failure = new TypeError("a defect");
  const { logged, ...answer } = await apply(2, failure);
  expect(answer).toMatchObject({ count: 2, secrets: ["s-2"], outcome: "unknown" });
  expect(answer.message).toMatch(/^token P\/first: Unexpected error\. /);
  expect(logged).toEqual([{ err: failure, operation: "svc_create_token" }]);
});

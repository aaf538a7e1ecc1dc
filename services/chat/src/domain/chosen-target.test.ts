import { isGatewayError } from "@gatehouse/errors";
import { expect, test } from "vitest";
import { chooseTarget } from "./chosen-target.ts";

const targetOf = (model: string) => ({ kind: "disabled", target: { provider: "p", model } }) as const;
const endpoint = { slug: "help", targets: [targetOf("first"), targetOf("second")] };
const tester = { environment: "test" } as const;

test("the endpoint gets the chosen target alone, and the original is unchanged", () => {
  expect(chooseTarget(endpoint, "2", tester)).toEqual({ slug: "help", targets: [targetOf("second")] });
  expect(endpoint.targets).toHaveLength(2);
});

test.each(["0", "3", "-1", "1.5", "1e0", "01", "", " 1", "1, 2", "second", "9".repeat(40)])(
  "%j is not a target's place",
  (given) => {
    const refusal = chooseTarget(endpoint, given, tester);
    expect(isGatewayError(refusal) && [refusal.profile.http, refusal.message]).toEqual([
      400,
      "X-Gatehouse-Target must be the place of a target of the endpoint: a number from 1 to 2.",
    ]);
  },
);

test("a live token may not choose a target, not even an existing one", () => {
  const refusal = chooseTarget(endpoint, "1", { environment: "live" });
  expect(isGatewayError(refusal) && refusal.message).toContain("environment test only");
});

import { GatewayError } from "@gatehouse/errors";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { Federation, type Owner } from "./federation.ts";

/** An owner of one operation, which answers until it is switched to silence. */
function createOwner(name: string) {
  const owned = { questions: 0, isSilent: false };
  const listOperations = async () => {
    owned.questions += 1;
    if (owned.isSilent) throw new GatewayError("deadline_exceeded", "The service did not answer in time.");
    const operation = { name: `svc_list_${name}`, description: "Lists.", right: "read", scope: "project" };
    const settings = { projectTypes: [], timeoutMs: 0, subject: "", subjectOperation: "" };
    const flags = { coversDeletedProjects: false, takesIdempotencyKey: false };
    return await Promise.resolve({ operations: [{ ...operation, ...settings, ...flags, inputSchemaJson: "{}" }] });
  };
  return { owned, owner: { name, client: { listOperations } } as unknown as Owner };
}

test("an owner that hangs is asked for its operations only now and then, so that calls of others go on", async () => {
  const [hats, coats] = [createOwner("hats"), createOwner("coats")];
  let now = 0;
  const federation = new Federation([hats.owner, coats.owner], createSilentTelemetry().log, () => now);
  const find = async (name: string) => (await federation.find(`svc_list_${name}`)).length;
  expect([await find("hats"), await find("coats")]).toEqual([1, 1]);
  hats.owned.isSilent = true;
  now += 10_000;
  for (let call = 0; call < 5; call += 1) expect([await find("coats"), await find("hats")]).toEqual([1, 1]);
  expect(hats.owned.questions).toBe(2);
  hats.owned.isSilent = false;
  now += 10_000;
  expect(await find("hats")).toBe(1);
  expect(hats.owned.questions).toBe(3);
});

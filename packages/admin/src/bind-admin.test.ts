import { initiatorMetadata } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import { connectLocally } from "@gatehouse/rpc";
import { expect, test } from "vitest";
import { bindAdmin, defineOperation, object, string } from "./index.ts";
import { looseObject } from "./schemas.ts";

interface Shop {
  readonly sold: string[];
}

const soldMax = 3;

function refuse(message: string): never {
  throw new GatewayError("invalid_argument", message);
}

const sell = defineOperation({
  name: "svc_sell",
  description: "Sells something.",
  output: looseObject(),
  access: { right: "write", scope: "project" },
  input: object({ item: string({ description: "An item.", lengthMax: 10 }) }),
  timeoutMs: 5_000,
  async prepare({ input, planned }, { sold }: Shop) {
    if (input.item === "gloves" && !planned.references.has("hands/2")) refuse("There are no hands.");
    if (sold.length + planned.siblings >= soldMax) refuse("All is sold.");
    return await Promise.resolve(input.item.toUpperCase());
  },
  async run({ input, initiator, prepared }, { sold }) {
    if (prepared !== input.item.toUpperCase()) throw new Error("It was prepared otherwise.");
    sold.push(`${input.item} to ${initiator.actor}`);
    return await Promise.resolve({ item: input.item });
  },
});

const initiator = { actor: "admin_key:ops", ipAddress: "192.0.2.7", project: null, traceparent: "" };

function open() {
  const shop: Shop = { sold: [] };
  const deleted: string[] = [];
  const deleteProject = async (uuid: string) => void (await Promise.resolve(deleted.push(uuid)));
  const client = connectLocally(bindAdmin({ operations: [sell], context: shop, deleteProject }));
  const call = async (name: string, given: unknown) =>
    await client.callOperation(
      { name, argumentsJson: JSON.stringify(given) },
      { metadata: initiatorMetadata(initiator) },
    );
  return { shop, deleted, client, call };
}

test("operations are listed with their schema, right and time-out", async () => {
  const { operations } = await open().client.listOperations({});
  expect(operations).toMatchObject([{ name: "svc_sell", right: "write", scope: "project", timeoutMs: 5_000 }]);
  expect(JSON.parse(operations[0]?.inputSchemaJson ?? "")).toMatchObject({ additionalProperties: false });
});

test("a call is checked, then run with its initiator", async () => {
  const { shop, call } = open();
  expect(JSON.parse((await call("svc_sell", { item: "hat" })).resultJson)).toEqual({ item: "hat" });
  expect(shop.sold).toEqual(["hat to admin_key:ops"]);
  await expect(call("svc_sell", { itm: "hat" })).rejects.toMatchObject({ code: "invalid_argument" });
  await expect(call("svc_steal", {})).rejects.toThrow("Unknown tool: svc_steal");
  await expect(call("svc_sell", [])).rejects.toThrow("arguments must be object");
  expect(shop.sold).toHaveLength(1);
});

test("a check of arguments gives a call's refusals, and runs nothing", async () => {
  const { shop, client, call } = open();
  const check = async (given: unknown, projectType = "") =>
    await client.checkArguments({ name: "svc_sell", argumentsJson: JSON.stringify(given), projectType });
  expect(await check({ item: "hat" }, "ai_gateway")).toEqual({});
  for (const wrong of [{ itm: "hat" }, { item: 5 }, {}, []]) {
    const refusal = await call("svc_sell", wrong).catch((err: unknown) => err);
    await expect(check(wrong)).rejects.toThrow((refusal as Error).message);
  }
  expect(shop.sold).toEqual([]);
});

test("a check with a plan judges a call as after the planned changes, and runs nothing", async () => {
  const { shop, client, call } = open();
  const judge = async (item: string, references: string[] = [], siblings = 0) => {
    const request = { name: "svc_sell", argumentsJson: JSON.stringify({ item }), plan: { references, siblings } };
    return await client.checkArguments(request, { metadata: initiatorMetadata(initiator) }).then(
      () => "taken",
      (err: unknown) => (err as Error).message,
    );
  };
  expect(await judge("hat")).toBe("taken");
  expect(await judge("gloves")).toBe("There are no hands.");
  expect(await judge("gloves", ["hands/2"])).toBe("taken");
  expect(await judge("hat", [], soldMax)).toBe("All is sold.");
  expect(await judge("x".repeat(11))).toMatch("at most 10 characters");
  expect(shop.sold).toEqual([]);
  await expect(call("svc_sell", { item: "gloves" })).rejects.toThrow("There are no hands.");
  for (let count = 0; count < soldMax; count += 1) await call("svc_sell", { item: "hat" });
  expect(await judge("hat")).toBe("All is sold.");
});

test("a project's deletion reaches the owner", async () => {
  const { client, deleted } = open();
  await client.deleteProject({ projectUuid: "p" });
  expect(deleted).toEqual(["p"]);
});

test("two operations of one name are refused when they are bound", () => {
  const owner = { operations: [sell, sell], context: { sold: [] }, deleteProject: async () => await Promise.resolve() };
  expect(() => bindAdmin(owner)).toThrow("same name");
});

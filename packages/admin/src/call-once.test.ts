import { connectLocally } from "@gatehouse/rpc";
import { expect, test } from "vitest";
import { writeGateway } from "./access.ts";
import { bindAdmin } from "./bind-admin.ts";
import { type AnswerOnce } from "./call-once.ts";
import { defineOperation } from "./operation.ts";
import { looseObject, object } from "./schemas.ts";

const key = Buffer.alloc(32, 1);

function createOwner(takesIdempotencyKey: boolean) {
  const done: string[] = [];
  const operation = defineOperation({
    name: "svc_make_tea",
    description: "Makes tea.",
    access: writeGateway,
    takesIdempotencyKey,
    input: object({}),
    output: looseObject(),
    prepare: async () => void (await Promise.resolve(done.push("judged"))),
    run: async () => await Promise.resolve({ cups: done.push("made") }),
  });
  const answerOnce: AnswerOnce = async (call, make) => {
    done.push(`${call.operation} under ${call.key.length} bytes`);
    return await make(async (run) => {
      done.push("begun");
      return await run();
    });
  };
  const deleteProject = async () => await Promise.resolve();
  return { done, operation, answerOnce, deleteProject };
}

const request = { name: "svc_make_tea", argumentsJson: "{}" };

test("a call with a key is judged before its transaction and runs inside it", async () => {
  const { done, operation, ...owner } = createOwner(true);
  const client = connectLocally(bindAdmin({ ...owner, operations: [operation], context: {} }));
  await client.callOperation({ ...request, callKey: key });
  expect(done).toEqual(["svc_make_tea under 32 bytes", "judged", "begun", "made"]);
});

test("a call without a key is judged and runs without a transaction", async () => {
  const { done, operation, ...owner } = createOwner(true);
  await connectLocally(bindAdmin({ ...owner, operations: [operation], context: {} })).callOperation(request);
  expect(done).toEqual(["judged", "made"]);
});

test("an operation without idempotency refuses a key, and does not run", async () => {
  const { done, operation, ...owner } = createOwner(false);
  const client = connectLocally(bindAdmin({ ...owner, operations: [operation], context: {} }));
  await expect(client.callOperation({ ...request, callKey: key })).rejects.toThrow("takes no idempotency key");
  expect(done).toEqual([]);
});

test("an operation that accepts keys is refused when its owner stores no answers", () => {
  const { operation, deleteProject } = createOwner(true);
  expect(() => bindAdmin({ operations: [operation], context: {}, deleteProject })).toThrow("keeps none");
});

import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";
import type { Around, Operation, OperationCall } from "./operation.ts";

/** A call with a key, as passed to the owner's store. */
interface KeyedCall {
  readonly operation: string;
  /** Key of one call of one caller, 32 bytes. */
  readonly key: Buffer;
  readonly arguments: JsonObject;
  readonly signal: AbortSignal;
}

/** Makes a call once per key, in a transaction of the owner's store (`packages/service`). */
export type AnswerOnce = (call: KeyedCall, make: (commit: Around) => Promise<JsonObject>) => Promise<JsonObject>;

/** Idempotency key of a call, and the owner's store of the results by key. */
interface CallKey {
  /** Absent or empty where the caller gave none: each such call runs. */
  readonly key: Buffer | undefined;
  /** Absent where no operation of the owner takes a key. */
  readonly answerOnce: AnswerOnce | undefined;
}

/** Calls an operation, once per key where the caller gave one. @throws GatewayError as the operation, and as `answerOnce` */
export async function callOnce<Context>(
  operation: Operation<Context>,
  call: OperationCall<JsonObject>,
  context: Context,
  { key, answerOnce }: CallKey,
): Promise<JsonObject> {
  if (key === undefined || key.length === 0) return await operation.call(call, context);
  const { name: named, takesIdempotencyKey } = operation;
  if (!takesIdempotencyKey || answerOnce === undefined) throw takesNoKey(named);
  const keyed = { operation: named, key, arguments: call.input, signal: call.signal };
  return await answerOnce(keyed, async (commit) => await operation.call(call, context, commit));
}

/** Refuses a key for an operation that cannot keep its promise. */
export function takesNoKey(operation: string): GatewayError {
  return invalidArgument(`${operation} takes no idempotency key; call it without one.`);
}

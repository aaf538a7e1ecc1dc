import { isUtf8 } from "node:buffer";
import { type JsonBounds, type JsonPart, JsonRefusal, OutlineReader } from "@gatehouse/json";
import { Pace } from "@gatehouse/pace";
import { messageSpec } from "../domain/json-rpc-answer.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";

/**
 * Bounds of a message of an upstream. Nothing is built of its values, and one bad tool must not hide the others: much is allowed.
 */
const messageBounds: JsonBounds = {
  depthMax: 10_000,
  valuesMax: 4_000_000,
  membersMax: 4_000_000,
  keyLengthMax: 64 * 1024,
};
/** Bytes that are read at once. */
const stepBytes = 16 * 1024;
/** Up to this size what is no UTF-8 is repaired as browsers do, by U+FFFD in place of it. */
const repairedBytesMax = 1024 * 1024;
const byteOrderMark = Buffer.from("\uFEFF");

/**
 * Outlines a message of an upstream: at once where it is small, else in steps. Undefined where it is no JSON.
 * @throws UpstreamFailure where a bound is passed
 */
export function readMessage(bytes: Buffer): JsonPart | undefined | Promise<JsonPart | undefined> {
  const text = bytes.indexOf(byteOrderMark) === 0 ? bytes.subarray(byteOrderMark.length) : bytes;
  const reader = new OutlineReader(toUtf8(text), messageSpec, messageBounds);
  if (text.length > stepBytes) return readInSteps(reader);
  return orUndefined(() => reader.read(text.length));
}

async function readInSteps(reader: OutlineReader): Promise<JsonPart | undefined> {
  const pace = new Pace();
  for (;;) {
    const step = orUndefined(() => ({ outline: reader.read(stepBytes) }));
    if (step === undefined || step.outline !== undefined) return step?.outline;
    await pace.rest();
  }
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (err) {
    if (!(err instanceof JsonRefusal)) throw err;
    if (err.kind === "malformed") return undefined;
    throw new UpstreamFailure("malformed", { detail: `a message ${err.clause}`, cause: err });
  }
}

function toUtf8(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes;
  if (bytes.length <= repairedBytesMax) return Buffer.from(bytes.toString("utf8"));
  throw new UpstreamFailure("malformed", { detail: "a body that is not UTF-8" });
}

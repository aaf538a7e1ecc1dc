import { isUtf8 } from "node:buffer";
import { type JsonBounds, type JsonPart, JsonRefusal, OutlineReader } from "@gatehouse/json";
import { Pace } from "@gatehouse/pace";
import { messageSpec } from "../domain/json-rpc-answer.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";

/** Bounds of an upstream's message. Generous, since no values are built from it, and one bad tool must not hide the others. */
const messageBounds: JsonBounds = {
  depthMax: 10_000,
  valuesMax: 4_000_000,
  membersMax: 4_000_000,
  keyLengthMax: 64 * 1024,
};
/** Bytes that are read at once. */
const stepBytes = 16 * 1024;
/** Messages up to this size with invalid UTF-8 are repaired by U+FFFD, as in browsers. */
const repairedBytesMax = 1024 * 1024;
const byteOrderMark = Buffer.from("\uFEFF");

/**
 * Outlines a message of an upstream; synchronous where it is small, else in steps. Undefined where it is not JSON.
 * @throws UpstreamFailure for a message over a bound
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

import assert from "node:assert/strict";
import { formatTraceparent, readTraceparent, toSpanContext } from "../src/traceparent.ts";

/** A header that is read is written with the same meaning. */
function roundTrip(bytes: Buffer): void {
  const header = readTraceparent(bytes.toString("latin1"));
  if (header === undefined) return;
  const context = toSpanContext(header);
  const written = formatTraceparent(context);
  assert.equal(readTraceparent(written), written);
  assert.deepEqual(toSpanContext(written), context);
}

export const fuzzTargets = [
  {
    name: "traceparent",
    seeds: ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
    words: ["00-", "ff-", "0000000000000000"],
    run: roundTrip,
    isDeclared: () => false,
  },
];

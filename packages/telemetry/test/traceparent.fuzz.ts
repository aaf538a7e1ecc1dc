import assert from "node:assert/strict";
import { formatTraceparent, parseTraceparent } from "../src/traceparent.ts";

/** A header that is read is written with the same meaning. */
function roundTrip(bytes: Buffer): void {
  const context = parseTraceparent(bytes.toString("latin1"));
  if (context === undefined) return;
  assert.deepEqual(parseTraceparent(formatTraceparent(context)), context);
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

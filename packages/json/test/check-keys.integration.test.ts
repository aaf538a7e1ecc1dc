import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const source = new URL("../src/index.ts", import.meta.url).href;
const parses = 60_000;
/** Optimized code may be thrown away while shapes are still new. */
const deoptimizationsMax = 10;

/** Parses texts of two shapes, as requests and replies take turns. */
const program = `
  import { parseJson } from ${JSON.stringify(source)};
  const texts = ['{"message":"Hello"}', '{"id":"x","choices":[{"index":0,"message":{"role":"assistant"}}],"usage":{"total":3}}'];
  for (let at = 0; at < ${parses}; at += 1) parseJson(texts[at % 2]);
`;

test("the code that checks keys stays optimized", async () => {
  const args = ["--conditions=@gatehouse/source", "--trace-deopt", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1_024 * 1_024 });
  const thrownAway = stdout.split("\n").filter((line) => line.includes("bailout (kind") && line.includes("checkKeys"));
  expect(thrownAway.length).toBeLessThanOrEqual(deoptimizationsMax);
}, 30_000);

import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readInput, readSecret } from "./settings.ts";

const text = "prompt: „Grüße – 你好“\n";

/** Chunks as a pipe delivers them, which may end within a character. */
function piped(): Readable {
  return Readable.from(Array.from(Buffer.from(text), (byte) => Buffer.from([byte])));
}

test("standard input is read whole, also where its chunks end within a character", async () => {
  expect(await readInput("-", piped())).toBe(text);
  expect(await readSecret({ place: "-", option: "--api-key-from" }, {}, piped())).toBe(text.trim());
});

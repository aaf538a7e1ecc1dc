import { PlaceholderValues } from "@gatehouse/placeholders";
import { expect, test } from "vitest";
import { restoreInPassing } from "./restore-in-passing.ts";

const values = new PlaceholderValues([
  { label: "E-Mail 1", value: 'a"b@b.example' },
  { label: "Größe 2", value: "größer" },
]);

async function restored(chunks: readonly Buffer[]): Promise<Buffer> {
  const passed: Buffer[] = [];
  for await (const chunk of restoreInPassing(chunks, values)) passed.push(chunk);
  return Buffer.concat(passed);
}

const text =
  'to [E-Mail 1] [Größe 2] [E-Mail 3]\ndata: {"to":"[e-mail 1]"}\n\n[x [Größe 2]\n{"a":1,\n"b":"[E-Mail 1]"}\n[E-Mail 1';
const expected =
  'to a"b@b.example größer [E-Mail 3]\ndata: {"to":"a\\"b@b.example"}\n\n[x größer\n{"a":1,\n"b":"a\\"b@b.example"}\n[E-Mail 1';

test("placeholders get their values for any size of the chunks", async () => {
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 7, 64, bytes.length]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect((await restored(chunks)).toString(), `chunks of ${size}`).toBe(expected);
  }
});

test("binary data is unchanged", async () => {
  const bytes = Buffer.from(Array.from({ length: 1_024 }, (_, index) => (index * 7) & 0xff));
  expect((await restored([bytes.subarray(0, 500), bytes.subarray(500)])).equals(bytes)).toBe(true);
});

test("an unclosed bracket holds back no more than the longest placeholder", async () => {
  const passed = restoreInPassing([Buffer.from("a["), Buffer.from("b".repeat(400)), Buffer.from("]")], values);
  expect((await passed.next()).value?.toString()).toBe("a");
  expect((await passed.next()).value?.toString()).toBe(`[${"b".repeat(400)}`);
});

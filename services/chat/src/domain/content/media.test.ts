import { expect, test } from "vitest";
import { readMedia } from "./media.ts";

const attack = "the falcon lands";
const url = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString("base64")}`;
const utf16 = Buffer.from(attack, "utf16le");
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]);

test.each([
  ["a picture whose bytes are text", url("image/png", Buffer.from(attack)), "image"],
  ["a film whose bytes are text", url("video/mp4", Buffer.from(attack)), "video"],
  ["a sound whose bytes are text", Buffer.from(attack).toString("base64"), "audio"],
  ["a text file", url("text/plain", Buffer.from(attack)), "file"],
  ["a text file in Latin-1", url("text/plain", Buffer.from(`${attack} é`, "latin1")), "file"],
  ["a text file in UTF-16", url("text/csv", utf16), "file"],
  ["a text file in UTF-16 of the other order", url("text/html", Buffer.from(utf16).swap16()), "file"],
  ["JSON in UTF-16", url("application/json", utf16), "file"],
] as const)("%s is judged as text", (_name, text, kind) => {
  const reading = readMedia(text, kind);
  expect(reading.kind === "text_file" ? reading.text : undefined).toContain(attack);
});

test.each([
  ["a picture", url("image/png", png), "image"],
  ["silence", Buffer.alloc(64).toString("base64"), "audio"],
  ["a document", url("application/pdf", Buffer.from([0x25, 0x50, 0xff])), "file"],
] as const)("%s is a payload", (_name, text, kind) => {
  expect(readMedia(text, kind).kind).toBe("payload");
});

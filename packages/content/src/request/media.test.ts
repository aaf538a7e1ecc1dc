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

const encoded = Buffer.from(attack).toString("base64");

test.each([
  ["white space in base64", `data:text/plain;base64,${encoded.slice(0, 7)}\n ${encoded.slice(7)}`, "file"],
  ["other signs in base64", `data:text/plain;base64,${encoded.slice(0, 6)}.!${encoded.slice(6)}`, "file"],
  ["another parameter", `data:text/plain;charset=us-ascii;base64,${encoded}`, "file"],
  ["a name", `data:text/plain;name=a.txt;base64,${encoded}`, "file"],
  ["an unknown type", `data:text/x-python;base64,${encoded}`, "file"],
  ["a drawing", `data:image/svg+xml;base64,${encoded}`, "image"],
  ["a scheme in capitals", `DATA:TEXT/PLAIN;BASE64,${encoded}`, "file"],
  ["white space before it", ` data:text/plain;base64,${encoded}`, "file"],
  [
    "percent signs in base64",
    `data:text/plain;base64,%${encoded.charCodeAt(0).toString(16)}${encoded.slice(1)}`,
    "file",
  ],
  ["a data URL without base64", `data:text/plain,${attack.replaceAll("a", "%61")}`, "file"],
  ["base64 alone, with a line end", `${encoded.slice(0, 4)}\r\n${encoded.slice(4)}`, "file"],
  ["UTF-16 under another parameter", `data:text/plain;charset=utf-16le;base64,${utf16.toString("base64")}`, "file"],
] as const)("the text behind %s is judged beside the written text", (_name, text, kind) => {
  const reading = readMedia(text, kind);
  expect(reading.kind === "unclear" ? reading.text : undefined).toContain(attack);
});

test("a masked text is written back in the encoding of its source", () => {
  const reading = readMedia(`data:text/x-a;base64,${encoded}`, "file");
  const written = reading.kind === "unclear" ? reading.write("the [E] lands") : "";
  expect(written).toBe(`data:text/x-a;base64,${Buffer.from("the [E] lands").toString("base64")}`);
});

test("a masked text with half a surrogate pair is written as UTF-8", () => {
  const bytes = Array.from(Buffer.from("\ufeff\ud83d a@b.example", "utf16le"), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  const reading = readMedia(`data:text/plain;charset=utf-16le,%${bytes.join("%")}`, "file");
  const written = reading.kind === "unclear" ? reading.write("\ud83d [E]") : "";
  expect(written).toBe("data:text/plain;charset=utf-8,%EF%BF%BD%20%5BE%5D");
});

test.each([
  ["an address", "https://example.com/a.png", "image"],
  ["a picture of an unknown type", url("image/three", png), "image"],
] as const)("%s is judged as plain text", (_name, text, kind) => {
  expect(readMedia(text, kind).kind).toBe("text");
});

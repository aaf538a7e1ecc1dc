import { expect, test } from "vitest";
import { keepPlaces } from "./keep-places.ts";

const folders = { from: "/checkout/deploy/product/dist", to: "/checkout/deploy/product/dist/bundle" };

/** Value of the first `new URL(…).href` of `code` in a chunk of the bundle. */
function resolve(code: string): string {
  const place = /new URL\("([^"]+)", import\.meta\.url\)\.href/.exec(code)?.[1] ?? "";
  return new URL(place, "file:///checkout/deploy/product/dist/bundle/chunk.js").href;
}

test("a module of another package finds files where it did", () => {
  const path = "/checkout/services/chat/dist/app.js";
  expect(resolve(keepPlaces("const here = import.meta.url;", path, folders))).toBe(`file://${path}`);
});

test("a module of the program's package finds the other entries of the bundle", () => {
  const code = keepPlaces("fork(import.meta.url)", "/checkout/deploy/product/dist/workers/worker-process.js", folders);
  const worker = new URL("../worker.js", resolve(code));
  expect(worker.href).toBe("file:///checkout/deploy/product/dist/bundle/worker.js");
});

test("a path with signs that mean something in an address is kept", () => {
  const path = "/checkout/node_modules/a b/100%/index.js";
  expect(resolve(keepPlaces("import.meta.url", path, folders))).toBe(
    "file:///checkout/node_modules/a%20b/100%25/index.js",
  );
});

test("another property of import.meta is refused, since it would be the bundle's", () => {
  expect(() => keepPlaces("read(import.meta.dirname)", "/checkout/a.js", folders)).toThrow(/\/checkout\/a\.js/);
});

test("code without import.meta stays as it is", () => {
  expect(keepPlaces("export const a = 1;", "/checkout/a.js", folders)).toBe("export const a = 1;");
});

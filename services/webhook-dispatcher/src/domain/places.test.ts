import { expect, test } from "vitest";
import { Places } from "./places.ts";

test("what finds no place is refused, and a place is free again when its work is over, however it ended", async () => {
  const places = new Places(1);
  const gate = Promise.withResolvers<number>();
  const first = places.use(async () => await gate.promise);
  await expect(places.use(async () => await Promise.resolve(2))).rejects.toMatchObject({ code: "unavailable" });
  gate.reject(new Error("failed"));
  await expect(first).rejects.toThrow("failed");
  expect(await places.use(async () => await Promise.resolve(3))).toBe(3);
});

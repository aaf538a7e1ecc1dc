import { expect, test } from "vitest";
import { choosePlaces } from "../src/places.ts";

test("two products that choose before either listens choose different ports", async () => {
  const [one, other] = await Promise.all([choosePlaces(1), choosePlaces(2)]);
  const portsOf = (places: typeof one) =>
    places.flatMap(({ httpPort, rpcPort }) => [httpPort, rpcPort]).filter(Boolean);
  const ports = [...portsOf(one), ...portsOf(other)];
  expect(new Set(ports).size).toBe(ports.length);
});

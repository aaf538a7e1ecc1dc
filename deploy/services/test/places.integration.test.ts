import { findFreePort } from "@gatehouse/ports";
import { defaultPorts } from "@gatehouse/trust";
import { expect, test } from "vitest";
import { choosePlaces, type Place } from "../src/places.ts";
import { PortChoice } from "../src/port-choice.ts";

const portsOf = (places: readonly Place[]) =>
  places.flatMap(({ httpPort, rpcPort }) => [httpPort, rpcPort]).filter(Boolean);

test("two products that choose before either listens choose different ports", async () => {
  const [one, other] = await Promise.all([choosePlaces(1, new PortChoice()), choosePlaces(2, new PortChoice())]);
  const ports = [...portsOf(one), ...portsOf(other)];
  expect(new Set(ports).size).toBe(ports.length);
});

test("no port is given twice, whether it was chosen, wanted by two, or set", async () => {
  const ports = new PortChoice();
  const [set, wanted] = [await findFreePort(), await findFreePort()];
  ports.take(set);
  const chosen = [
    await ports.choose(wanted),
    await ports.choose(wanted),
    await ports.choose(set),
    await ports.choose(0),
  ];
  expect(chosen[0]).toBe(wanted);
  expect(new Set([set, ...chosen]).size).toBe(5);
});

test("a service's usual port that a setting gives to another is not the service's", async () => {
  const ports = new PortChoice();
  const { http } = defaultPorts("chat");
  ports.take(http);
  expect(portsOf(await choosePlaces(1, ports))).not.toContain(http);
});

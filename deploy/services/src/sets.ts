import type { Environment, EnvReader } from "@gatehouse/config";
import { isServiceName, type ServiceName, settingPrefix } from "@gatehouse/trust";
import type { Place } from "./places.ts";

const variable = "SERVICES_SETS";

/** Parses `SERVICES_SETS`, the services that share a process: `chat,guardrail;mcp-bridge,mcp-aggregator`. */
export function readSets(env: EnvReader): readonly (readonly ServiceName[])[] {
  const sets = env
    .text(variable, "")
    .split(";")
    .map((set) => set.split(",").map((name) => name.trim()))
    .filter((set) => set.some((name) => name !== ""));
  const found = new Set<string>();
  for (const name of sets.flat()) {
    if (!isServiceName(name)) env.problem(variable, `names '${name}', which is not a service`);
    // Its port must outlive it.
    else if (name === "router") env.problem(variable, "names the router, which runs alone");
    else if (found.has(name)) env.problem(variable, `names '${name}' twice`);
    found.add(name);
  }
  return sets.map((set) => set.filter(isServiceName));
}

/** Groups services by process: those of a set together, others alone, in the order of the first. */
export function groupPlaces(
  places: readonly Place[],
  sets: readonly (readonly ServiceName[])[],
): readonly (readonly Place[])[] {
  const setOf = (place: Place) => sets.find((set) => set.includes(place.name));
  const groups = new Map<object, Place[]>();
  for (const place of places) {
    const key = setOf(place) ?? place;
    groups.set(key, [...(groups.get(key) ?? []), place]);
  }
  return [...groups.values()];
}

/** Environment of a process with several services: common settings, and one service's own as `CHAT__PORT` and so on. */
export function environmentOfSet(services: readonly (readonly [ServiceName, Environment])[]): Environment {
  const environments = services.map(([, environment]) => environment);
  const isShared = (variable: string, value: string | undefined) =>
    environments.every((environment) => environment[variable] === value);
  const settings = services.flatMap(([name, environment]) =>
    Object.entries(environment).map(([variable, value]) =>
      isShared(variable, value) ? [variable, value] : [`${settingPrefix(name)}__${variable}`, value],
    ),
  );
  return Object.fromEntries(settings) as Environment;
}

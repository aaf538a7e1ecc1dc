import type { Environment, EnvReader } from "@gatehouse/config";
import { isServiceName, type ServiceName, settingPrefix } from "@gatehouse/trust";
import type { Place } from "./places.ts";

const variable = "SERVICES_SETS";

/** Services that share a process, as `SERVICES_SETS` names them: `chat,guardrail;mcp-bridge,mcp-aggregator`. */
export function readSets(env: EnvReader): readonly (readonly ServiceName[])[] {
  const sets = env
    .text(variable, "")
    .split(";")
    .map((set) => set.split(",").map((name) => name.trim()))
    .filter((set) => set.some((name) => name !== ""));
  const found = new Set<string>();
  for (const name of sets.flat()) {
    if (!isServiceName(name)) env.problem(variable, `names '${name}', which is no service`);
    // Its port outlives it.
    else if (name === "router") env.problem(variable, "names the router, which runs alone");
    else if (found.has(name)) env.problem(variable, `names '${name}' twice`);
    found.add(name);
  }
  return sets.map((set) => set.filter(isServiceName));
}

/** Places of the services of each process: of a set together, of the others alone, in the order of the first. */
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

/** The environment of a process with several services: what all have alike, and what one has alone as `CHAT__PORT` and so on. */
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

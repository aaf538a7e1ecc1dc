import type { ProjectType } from "@gatehouse/principal";
import { reservedSlugs } from "@gatehouse/slugs";
import { type ControlRoute, type DataRoute, itemEnd, type Route } from "./route-table.ts";

/** The routes that share one path. Never empty; the first one stands for the path where none fits. */
export interface RouteGroup<R extends Route = Route> {
  readonly routes: readonly [R, ...R[]];
}

interface DataMatch {
  readonly group: RouteGroup<DataRoute>;
  /** The path's first segment after `/api/`, as sent. */
  readonly projectUuid: string;
}

/** Finds the routes for a request target; undefined when there are none. */
export type DataMatcher = (target: string) => DataMatch | undefined;

/** Paths of the data plane; everything else is Express' matter. */
export const dataPathPrefix = "/api/";
const tailStart = "/api/{uuid}/".length;

/** Compiles the data-plane routes of a table. Paths are compared as sent: nothing is decoded and nothing is normalised. */
export function createDataMatcher(table: readonly Route[]): DataMatcher {
  const groups = groupByTail(table.filter((route) => route.plane === "data"));
  const slugGroup = take(groups, "{slug}");
  const restGroup = take(groups, "{slug}/{rest}");
  const itemGroups = takeItems(groups);

  return (target) => {
    const query = target.indexOf("?", dataPathPrefix.length);
    const end = query < 0 ? target.length : query;
    const slash = target.indexOf("/", dataPathPrefix.length);
    if (slash <= dataPathPrefix.length || slash >= end - 1) return undefined;
    const tail = target.slice(slash + 1, end);
    const group =
      groups.get(tail) ??
      inItems(tail, itemGroups) ??
      (tail.includes("/") ? inRest(tail, restGroup) : inSlug(tail, slugGroup));
    return group === undefined ? undefined : { group, projectUuid: target.slice(dataPathPrefix.length, slash) };
  };
}

/** The route of a group for a project: by type and method, else by type, else the first. The guards then judge it. */
export function chooseRoute(group: RouteGroup<DataRoute>, projectType: ProjectType, method: string): DataRoute {
  let ofType: DataRoute | undefined;
  for (const route of group.routes) {
    if (!route.projectTypes.includes(projectType)) continue;
    if (takesMethod(route, method)) return route;
    ofType ??= route;
  }
  return ofType ?? group.routes[0];
}

/** The route of a path of the control plane: by method, else the first. The guards then judge it. */
export function chooseControlRoute({ routes }: RouteGroup<ControlRoute>, method: string): ControlRoute {
  return routes.find((route) => takesMethod(route, method)) ?? routes[0];
}

/** Whether a route takes requests of this method. */
export function takesMethod({ methods }: Route, method: string): boolean {
  return methods === "any" || methods.includes(method);
}

/** The value of `Allow` for a refused method: what the group takes, for this type of project where it has types. */
export function allowedMethods(group: RouteGroup, projectType?: ProjectType): string {
  const methods = group.routes
    .filter((route) => route.plane !== "data" || projectType === undefined || route.projectTypes.includes(projectType))
    .flatMap((route) => (route.methods === "any" ? [] : route.methods));
  return [...new Set(methods)].join(", ");
}

function inSlug(tail: string, group: RouteGroup<DataRoute> | undefined): RouteGroup<DataRoute> | undefined {
  return reservedSlugs.has(tail) || isDotSegment(tail) ? undefined : group;
}

function inItems(tail: string, groups: ReadonlyMap<string, RouteGroup<DataRoute>>): RouteGroup<DataRoute> | undefined {
  const slash = tail.lastIndexOf("/");
  const item = tail.slice(slash + 1);
  return slash < 0 || item === "" || isDotSegment(item) ? undefined : groups.get(tail.slice(0, slash));
}

/** Dot segments never match: a service behind might resolve them into another project's path. */
function inRest(tail: string, group: RouteGroup<DataRoute> | undefined): RouteGroup<DataRoute> | undefined {
  if (group === undefined) return undefined;
  const segments = tail.split("/");
  return segments[0] === "" || reservedSlugs.has(segments[0] ?? "") || segments.some(isDotSegment) ? undefined : group;
}

function isDotSegment(segment: string): boolean {
  return segment.length <= "%2e%2e".length && /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** Leaves only literal tails in the map, so that a path which spells out a pattern is no more than an odd slug. */
function take(groups: Map<string, RouteGroup<DataRoute>>, tail: string): RouteGroup<DataRoute> | undefined {
  const group = groups.get(tail);
  groups.delete(tail);
  return group;
}

/** Takes the groups of `…/{id}` out of the map; by what stands before the item. */
function takeItems(groups: Map<string, RouteGroup<DataRoute>>): ReadonlyMap<string, RouteGroup<DataRoute>> {
  const tails = [...groups.keys()].filter((tail) => tail.endsWith(itemEnd));
  return new Map(
    tails.flatMap((tail) => {
      const group = take(groups, tail);
      return group === undefined ? [] : [[tail.slice(0, -itemEnd.length), group] as const];
    }),
  );
}

function groupByTail(routes: readonly DataRoute[]): Map<string, RouteGroup<DataRoute>> {
  const groups = new Map<string, RouteGroup<DataRoute>>();
  for (const route of routes) {
    const tail = route.path.slice(tailStart);
    const before = groups.get(tail)?.routes;
    groups.set(tail, { routes: before === undefined ? [route] : [...before, route] });
  }
  return groups;
}

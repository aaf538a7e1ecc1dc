import type { ProjectType } from "@gatehouse/principal";
import { reservedSlugs } from "@gatehouse/slugs";
import { type ControlRoute, type DataRoute, itemEnd, type Route } from "./route-table.ts";

/** Routes that share one path. Never empty; the first one represents the path where none fits. */
export interface RouteGroup<R extends Route = Route> {
  readonly routes: readonly [R, ...R[]];
}

interface DataMatch {
  readonly group: RouteGroup<DataRoute>;
  /** First segment of the path after `/api/`, as sent. */
  readonly projectUuid: string;
}

/** Finds the routes of a request target; undefined: none. */
export type DataMatcher = (target: string) => DataMatch | undefined;

/** Prefix of data-plane paths; all others are served by Express. */
export const dataPathPrefix = "/api/";
const tailStart = "/api/{uuid}/".length;

/** Compiles the data-plane routes of a table. Compares paths as sent, without decoding or normalisation. */
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

/** Chooses the route of a group by project type and method, else by type, else the first, whose guards then refuse the call. */
export function chooseRoute(group: RouteGroup<DataRoute>, projectType: ProjectType, method: string): DataRoute {
  let ofType: DataRoute | undefined;
  for (const route of group.routes) {
    if (!route.projectTypes.includes(projectType)) continue;
    if (takesMethod(route, method)) return route;
    ofType ??= route;
  }
  return ofType ?? group.routes[0];
}

/** Chooses the route of a control-plane path by method, else the first, whose guards then refuse the call. */
export function chooseControlRoute({ routes }: RouteGroup<ControlRoute>, method: string): ControlRoute {
  return routes.find((route) => takesMethod(route, method)) ?? routes[0];
}

/** Whether a route takes a method. Methods are case-sensitive (RFC 9110, section 9.1). */
export function takesMethod({ methods }: Route, method: string): boolean {
  return methods === "any" || methods.includes(method);
}

/** The value of `Allow`: the methods of a group, for a project type if given. */
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

/** Rejects dot segments, which a service might resolve into another project's path. */
function inRest(tail: string, group: RouteGroup<DataRoute> | undefined): RouteGroup<DataRoute> | undefined {
  if (group === undefined) return undefined;
  const segments = tail.split("/");
  return segments[0] === "" || reservedSlugs.has(segments[0] ?? "") || segments.some(isDotSegment) ? undefined : group;
}

function isDotSegment(segment: string): boolean {
  return segment.length <= "%2e%2e".length && /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** Removes a pattern's group from the map, so that a path which spells out the pattern matches as an ordinary slug. */
function take(groups: Map<string, RouteGroup<DataRoute>>, tail: string): RouteGroup<DataRoute> | undefined {
  const group = groups.get(tail);
  groups.delete(tail);
  return group;
}

/** Removes the groups of `…/{id}` from the map; keyed by the path before the item. */
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

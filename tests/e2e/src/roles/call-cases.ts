import type { Json } from "../control-plane-client.ts";
import type { ListedTool } from "../tool-list/find-breaks.ts";
import { sampleArguments } from "./sample-arguments.ts";
import { nothing, type PlacingArgument, type Side } from "./side.ts";

/** A call that names one thing. */
export interface Case {
  readonly args: Json;
  readonly argument: PlacingArgument;
  readonly value: string | number;
}

/** The calls of an operation that name a thing of a side, one for each thing and argument that it may be named by. */
export function casesOf(tool: ListedTool, { things }: Pick<Side, "things">): readonly Case[] {
  const { properties = {}, required = [] } = tool.inputSchema;
  const placing = (Object.keys(things) as PlacingArgument[]).filter((argument) => Object.hasOwn(properties, argument));
  // Arguments of an operation that takes either, each alone; the logs take an endpoint as a filter of a project's entries.
  const chosen = placing.filter((argument) => required.includes(argument) || !isFilter(tool, argument));
  const sampled = sampleArguments(tool);
  return chosen.flatMap((argument) =>
    namedBy(tool, things[argument]).map((value) => ({ args: { ...sampled, [argument]: value }, argument, value })),
  );
}

/** A case's call about a thing that does not exist. */
export function unknownCase({ args, argument }: Case): Case {
  const value = argument === "project" || argument === "endpoint" ? nothing.uuid : nothing.id;
  return { args: { ...args, [argument]: value }, argument, value };
}

/** Usage and sessions are of endpoints that call models, of which each side has its first alone. */
function namedBy<Thing>({ name }: ListedTool, things: readonly Thing[]): readonly Thing[] {
  return name === "svc_get_usage" || name === "svc_list_sessions" ? things.slice(0, 1) : things;
}

function isFilter({ name }: ListedTool, argument: PlacingArgument): boolean {
  if (name === "svc_list_sessions") return argument === "token_id";
  // Sessions of the console are no project's.
  if (name === "svc_end_console_session") return argument === "session_id";
  return name === "svc_query_gateway_log" && argument !== "project";
}

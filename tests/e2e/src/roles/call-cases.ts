import type { Json } from "../control-plane-client.ts";
import type { ListedTool } from "../tool-list/find-breaks.ts";
import { sampleArguments } from "./sample-arguments.ts";
import { nothing, type PlacingArgument, type Side } from "./side.ts";

/** A call that names one resource. */
export interface Case {
  readonly args: Json;
  readonly argument: PlacingArgument;
  readonly value: string | number;
}

/** Calls of an operation that name a resource of a side, one for each resource and argument that can name it. */
export function casesOf(tool: ListedTool, { things }: Pick<Side, "things">): readonly Case[] {
  const { properties = {}, required = [] } = tool.inputSchema;
  const placing = (Object.keys(things) as PlacingArgument[]).filter((argument) => Object.hasOwn(properties, argument));
  // Arguments of an operation that takes either one, each alone; for logs, an endpoint only filters a project's entries.
  const chosen = placing.filter((argument) => required.includes(argument) || !isFilter(tool, argument));
  const sampled = sampleArguments(tool);
  return chosen.flatMap((argument) =>
    namedBy(tool, things[argument]).map((value) => ({ args: { ...sampled, [argument]: value }, argument, value })),
  );
}

/** The case's call about a missing resource. */
export function unknownCase({ args, argument }: Case): Case {
  const value = argument === "project" || argument === "endpoint" ? nothing.uuid : nothing.id;
  return { args: { ...args, [argument]: value }, argument, value };
}

/** Only endpoints of model projects have usage and sessions; the first of each side is one. */
function namedBy<Thing>({ name }: ListedTool, things: readonly Thing[]): readonly Thing[] {
  return name === "svc_get_usage" || name === "svc_list_sessions" ? things.slice(0, 1) : things;
}

function isFilter({ name }: ListedTool, argument: PlacingArgument): boolean {
  if (name === "svc_list_sessions") return argument === "token_id";
  // Console sessions belong to no project.
  if (name === "svc_end_console_session") return argument === "session_id";
  return name === "svc_query_gateway_log" && argument !== "project";
}

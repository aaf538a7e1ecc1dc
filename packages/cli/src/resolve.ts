import { isUuid, type JsonObject } from "@gatehouse/json";
import { CliError } from "./cli-error.ts";
import type { ControlPlane } from "./control-plane.ts";

const pageSize = 200;

/** UUID of a project given by UUID or name. */
export async function resolveProject(control: ControlPlane, text: string): Promise<string> {
  if (isUuid(text)) return text;
  const named = (await listAll(control, "projects", {})).filter(({ name }) => name === text);
  if (named.length > 1) throw ambiguous(text, named);
  const [found] = named;
  if (found === undefined)
    throw new CliError(`There is no project named ${text}. \`gatehouse project list\` names them.`);
  return String(found["uuid"]);
}

/** UUID of an endpoint given by UUID or as `project/slug`. */
export async function resolveEndpoint(control: ControlPlane, text: string): Promise<string> {
  if (isUuid(text)) return text;
  const slash = text.lastIndexOf("/");
  if (slash < 1) throw new CliError(`${text} is not an endpoint: use its uuid, or project/slug.`, 2);
  const project = await resolveProject(control, text.slice(0, slash));
  const slug = text.slice(slash + 1);
  const found = (await listAll(control, "endpoints", { project })).find((endpoint) => endpoint["slug"] === slug);
  if (found === undefined)
    throw new CliError(`The project has no endpoint ${slug}. \`gatehouse endpoint list\` names them.`);
  return String(found["uuid"]);
}

/** Owner of the policy that an argument names: an endpoint for `project/slug`, a project for anything else. */
export async function resolveOwner(control: ControlPlane, text: string): Promise<JsonObject> {
  if (text.includes("/")) return { endpoint: await resolveEndpoint(control, text) };
  return { project: await resolveProject(control, text) };
}

/** Most UUIDs listed in one message. */
const listedMax = 20;

/** Project names may repeat; a command must not choose among them. */
function ambiguous(text: string, projects: readonly JsonObject[]): CliError {
  const lines = projects
    .slice(0, listedMax)
    .map(({ uuid, project_type: type, created_at: at }) => `  ${String(uuid)}  ${String(type)}, created ${String(at)}`);
  const others = projects.length - lines.length;
  if (others > 0) lines.push(`  and ${others} more: gatehouse project list`);
  return new CliError([`More than one project is named ${text}: use a uuid.`, ...lines].join("\n"), 2);
}

async function listAll(control: ControlPlane, list: string, args: JsonObject): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  let cursor: unknown;
  do {
    const page = await control.call(`svc_list_${list}`, { ...args, limit: pageSize, ...(cursor ? { cursor } : {}) });
    items.push(...((page[list] ?? []) as JsonObject[]));
    cursor = page["next_cursor"];
  } while (cursor !== null && cursor !== undefined);
  return items;
}

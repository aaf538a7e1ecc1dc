import type { Plan } from "../../api/types.ts";

type Json = Readonly<Record<string, unknown>>;
type Change = Omit<Plan["changes"][number], "outcome">;

/** Location of items in a document by kind, and the member that identifies them. */
const places: Readonly<Record<string, { readonly list: string; readonly name: string; readonly in?: string }>> = {
  provider: { list: "providers", name: "name" },
  credential: { list: "credentials", name: "name", in: "providers" },
  project: { list: "projects", name: "name" },
  endpoint: { list: "endpoints", name: "slug", in: "projects" },
  token: { list: "tokens", name: "name", in: "projects" },
  issuer: { list: "issuers", name: "issuer", in: "projects" },
  webhook: { list: "webhooks", name: "name", in: "projects" },
  upstream: { list: "upstreams", name: "prefix", in: "projects" },
  oauth_connection: { list: "oauth_connections", name: "name", in: "projects" },
};

/** Values that a document may contain and the page must not show. */
const secretNames = /^(?:api_key|bearer_token|client_secret|refresh_token)$/;

export interface Compared {
  readonly before: string;
  readonly after: string;
}

/** The settings of a change, before and after; undefined for kinds outside the document. */
export function compareChange(change: Change, before: unknown, wanted: unknown): Compared | undefined {
  const after = find(change, wanted);
  if (after === undefined) return undefined;
  const present = find(change, before) ?? {};
  const names = change.fields.length > 0 ? change.fields : Object.keys(after).filter((name) => !isList(after[name]));
  return { before: toText(present, names), after: toText(after, names) };
}

function toText(item: Json, names: readonly string[]): string {
  const shown = names.filter((name) => item[name] !== undefined);
  const lines = shown.map(
    (name) => `${name}: ${secretNames.test(name) ? "(secret)" : JSON.stringify(item[name], null, 2)}`,
  );
  return lines.join("\n");
}

function find({ kind, name, project }: Change, document: unknown): Json | undefined {
  const place = places[kind];
  if (place === undefined || !isObject(document)) return undefined;
  const holders = place.in === undefined ? [document] : items(document[place.in]).filter((holder) => isHolder(holder, project)); // prettier-ignore
  return holders.flatMap((holder) => items(holder[place.list])).find((item) => item[place.name] === name);
}

/** Providers contain credentials, without a project. */
function isHolder(holder: Json, project: string | null): boolean {
  return project === null || holder["name"] === project || holder["uuid"] === project;
}

function items(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Items in nested lists have separate changes. */
function isList(value: unknown): boolean {
  return Array.isArray(value) && value.some(isObject);
}

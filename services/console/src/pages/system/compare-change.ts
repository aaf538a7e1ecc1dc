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

/** Lists of items with separate changes. */
const itemLists: ReadonlySet<string> = new Set(Object.values(places).map(({ list }) => list));

/** Values that a document may contain and the page must not show, at any depth. */
const secretNames = /^(?:api_key|bearer_token|client_secret|refresh_token|secret)$/;
/** Secrets of an endpoint's `auth`; in other settings these names are not secret. */
const authNames = /^(?:value|password)$/;

export interface Compared {
  readonly before: string;
  readonly after: string;
}

/** The settings of a change, before and after; undefined for kinds outside the document. */
export function compareChange(change: Change, before: unknown, wanted: unknown): Compared | undefined {
  const after = find(change, wanted);
  if (after === undefined) return undefined;
  const present = find(change, before) ?? {};
  const names = change.fields.length > 0 ? change.fields : Object.keys(after).filter((name) => !itemLists.has(name));
  return { before: toText(present, names), after: toText(after, names) };
}

function toText(item: Json, names: readonly string[]): string {
  const shown = names.filter((name) => item[name] !== undefined);
  const lines = shown.map(
    (name) => `${name}: ${secretNames.test(name) ? hidden : JSON.stringify(item[name], hiding(name), 2)}`,
  );
  return lines.join("\n");
}

const hidden = "(secret)";

/** Replacer of JSON.stringify that hides the secrets of a setting. */
function hiding(setting: string): (name: string, value: unknown) => unknown {
  return (name, value) => (secretNames.test(name) || (setting === "auth" && authNames.test(name)) ? hidden : value);
}

function find({ kind, name, project }: Change, document: unknown): Json | undefined {
  const place = places[kind];
  if (place === undefined || !isObject(document)) return undefined;
  const holders = place.in === undefined ? [document] : items(document[place.in]).filter((holder) => isHolder(holder, project)); // prettier-ignore
  const isMeant = (holder: Json, item: Json) => nameIn(holder, item[place.name], kind) === name;
  return holders.flatMap((holder) => items(holder[place.list]).filter((item) => isMeant(holder, item)))[0];
}

/** Name of an item in a plan: that of a credential has its provider's before it. */
function nameIn(holder: Json, name: unknown, kind: string): unknown {
  return kind === "credential" ? `${String(holder["name"])}/${String(name)}` : name;
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

import { invalidArgument } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { ConfigurationDocument } from "./document.ts";
import { authSecrets, externalSecrets, itemSecrets } from "./secret-fields.ts";

/** Secrets among the settings of items. They cannot be compared, so they are used only where the item is created, or moved to another host. */
export const secretSettings: ReadonlySet<string> = new Set(itemSecrets);

/** Problems in one message. */
const namedMax = 20;

/**
 * Refuses a secret that is not a string, even if the item exists and keeps its secret.
 * @throws GatewayError `invalid_argument` with the places, without the values
 */
export function refuseMalformedSecrets({ providers = [], projects = [] }: ConfigurationDocument): void {
  const places = [
    ...providers.flatMap(({ credentials = [] }, index) =>
      placesIn(credentials, `document.providers[${index}].credentials`),
    ),
    ...projects.flatMap((project, index) => placesInProject(project, `document.projects[${index}]`)),
  ];
  if (places.length === 0) return;
  const named = places.slice(0, namedMax).join(", ");
  const more = places.length > namedMax ? ` and ${places.length - namedMax} more` : "";
  const form = "must be a string: the secret itself, or ${NAME} in its place until it is filled in";
  throw invalidArgument(`${named}${more} ${form}. Nothing was changed.`);
}

type Project = NonNullable<ConfigurationDocument["projects"]>[number];

function placesInProject(project: Project, at: string): readonly string[] {
  const { oauth_connections: connections = [], upstreams = [], endpoints = [], guardrails } = project;
  return [
    ...placesIn(connections, `${at}.oauth_connections`),
    ...placesIn(upstreams, `${at}.upstreams`),
    ...endpoints.flatMap((endpoint, index) => [
      ...malformed(endpoint["auth"], authSecrets, `${at}.endpoints[${index}].auth`),
      ...placesInPolicy(endpoint.guardrails, `${at}.endpoints[${index}].guardrails`),
    ]),
    ...placesInPolicy(guardrails, `${at}.guardrails`),
  ];
}

function placesIn(items: readonly JsonObject[], at: string): readonly string[] {
  return items.flatMap((item, index) => malformed(item, itemSecrets, `${at}[${index}]`));
}

function placesInPolicy(policy: JsonObject | null | undefined, at: string): readonly string[] {
  const external: readonly unknown[] = Array.isArray(policy?.["external"]) ? policy["external"] : [];
  return external.flatMap((entry, index) => malformed(entry, externalSecrets, `${at}.external[${index}]`));
}

/** Named members of an object that are neither strings nor absent. */
function malformed(item: unknown, names: readonly string[], at: string): readonly string[] {
  if (!isJsonObject(item)) return [];
  const wrong = names.filter((name) => typeof (item[name] ?? "") !== "string");
  return wrong.map((name) => `${at}.${name}`);
}

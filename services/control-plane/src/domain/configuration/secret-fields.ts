import { array, jsonObject, looseObject, nullable, optional, secretMember } from "@gatehouse/admin";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";

/** Secrets among the settings of items. */
export const itemSecrets = ["api_key", "bearer_token", "client_secret", "refresh_token"] as const;
/** Secrets of an API endpoint's `auth`. */
export const authSecrets = ["value", "password"] as const;
/** Secrets of an external guardrail, an entry of a policy's `external`. */
export const externalSecrets = ["secret"] as const;

const policyLengthMax = 256 * 1024;
const description =
  "A secret: the text itself, or ${NAME} in its place until it is filled in ($${NAME} is the text ${NAME}).";

/** Members of an item's schema that are secrets, as clients need them to fill in references. */
export function secretsOf<Name extends (typeof itemSecrets)[number]>(...names: readonly Name[]) {
  return membersOf(names);
}

/** Schema of an API endpoint's `auth`, which its operation checks. */
export const authWithSecrets = optional(nullable(looseObject(membersOf(authSecrets))));

/** Schema of a guardrail policy, which its operation checks. */
export const policyWithSecrets = optional(
  nullable({
    ...jsonObject("A guardrail policy, as svc_set_guardrails takes it; null removes it.", policyLengthMax),
    properties: { external: nullable(array(looseObject(membersOf(externalSecrets)))) },
  }),
);

function membersOf<Name extends string>(names: readonly Name[]) {
  const members = names.map((name) => [name, optional(secretMember(description))] as const);
  return Object.fromEntries(members) as Readonly<Record<Name, (typeof members)[number][1]>>;
}

/** A reference to a secret that is filled in later: exactly `${NAME}`. */
export const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** The escaped form of a secret that looks like a reference or like an escaped form: the secret after one more `$`. */
const escaped = /^\$\$+\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** A reference in a change's settings, and the path of its setting, such as `auth.value`. */
export interface FoundReference {
  readonly name: string;
  readonly field: string;
}

/**
 * Reads the references and the escaped forms among a change's secrets. Other settings are texts, whatever they look like: the
 * editors of a project choose them, and a reference there would read a variable of the person who applies an export.
 */
export function readSecrets(given: JsonObject): {
  /** With each escaped secret as its text. */
  readonly settings: JsonObject;
  readonly references: readonly FoundReference[];
} {
  const references: FoundReference[] = [];
  const read = (value: unknown, field: string) => {
    if (typeof value !== "string") return value;
    const name = reference.exec(value)?.[1];
    if (name !== undefined) references.push({ name, field });
    return escaped.test(value) ? value.slice(1) : value;
  };
  return { settings: mapSecrets(given, read), references };
}

type MapSecret = (value: unknown, field: string) => unknown;

function mapSecrets(settings: JsonObject, map: MapSecret): JsonObject {
  const { auth, external } = settings;
  const mapped = mapMembers(settings, itemSecrets, map);
  if (isJsonObject(auth)) mapped["auth"] = mapMembers(auth, authSecrets, map, "auth.");
  if (Array.isArray(external)) {
    mapped["external"] = external.map((entry: unknown, index) =>
      isJsonObject(entry) ? mapMembers(entry, externalSecrets, map, `external[${index}].`) : entry,
    );
  }
  return mapped;
}

function mapMembers(owner: JsonObject, names: readonly string[], map: MapSecret, within = ""): Record<string, unknown> {
  const present = names.filter((name) => Object.hasOwn(owner, name));
  return { ...owner, ...Object.fromEntries(present.map((name) => [name, map(owner[name], `${within}${name}`)])) };
}

import {
  array,
  createArgumentsCheck,
  isUuid,
  matching,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from "@gatehouse/admin";
import { invalidArgument, isGatewayError } from "@gatehouse/errors";
import { adminRoles } from "@gatehouse/principal";
import type { Secret } from "@gatehouse/vault";
import type { SignInProvider, SignInRule } from "./sign-in-provider.ts";

const bounds = {
  providersMax: 20,
  rulesMax: 200,
  projectsMax: 200,
  scopesMax: 20,
  lengthMax: 500,
  urlLengthMax: 2_000,
};

const line = (description: string) => string({ description, lengthMax: bounds.lengthMax });

const rule = object({
  claim: line("The claim's name, or a path into it with dots."),
  has: line("The claim is this text, or a list that has it."),
  role: oneOf("Role that it gives.", [...adminRoles, "none"]),
  projects: optional(
    nullable(array(line("A project's uuid."), { description: "Null: all.", min: 1, max: bounds.projectsMax })),
  ),
});

const provider = object({
  id: matching({
    description: "Part of addresses.",
    lengthMax: 32,
    pattern: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    problem: "must be a-z, 0-9 and -, such as corp",
  }),
  name: optional(line("For people.")),
  issuer: string({ description: "The issuer's URL.", lengthMax: bounds.urlLengthMax }),
  client_id: line("The gateway's id there."),
  client_secret: optional(line("Its secret, or a reference to it.")),
  scopes: optional(
    array(
      matching({
        description: "A scope.",
        lengthMax: bounds.lengthMax,
        pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/,
        problem: "must be one scope without spaces",
      }),
      { description: "Asked for beside openid.", min: 0, max: bounds.scopesMax },
    ),
  ),
  name_claim: optional(line("By which the person is named.")),
  rules: array(rule, { description: "Claims to roles.", min: 1, max: bounds.rulesMax }),
});

const checkDocument = createArgumentsCheck(
  object({ providers: array(provider, { description: "In this order.", min: 0, max: bounds.providersMax }) }),
);

type Given = ReturnType<typeof checkDocument>["providers"][number];

/**
 * Parses the operator's identity providers from JSON text.
 * @param toSecret opens a client secret, which may be a reference
 * @returns the providers, or all problems, with places and without secrets
 */
export function readSignInProviders(
  source: string,
  toSecret: (text: string) => Secret,
): { readonly providers: readonly SignInProvider[]; readonly problems: readonly string[] } {
  try {
    const { providers } = checkDocument({ providers: parse(source) });
    const problems = providers.flatMap((given, at) => findProblems(given, `providers[${at}]`));
    const repeated = providers.find(({ id }, at) => providers.findIndex((other) => other.id === id) !== at);
    if (repeated !== undefined) problems.push(`names the provider ${repeated.id} twice`);
    if (problems.length > 0) return { providers: [], problems };
    return { providers: providers.map((given) => toProvider(given, toSecret)), problems };
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    return { providers: [], problems: [`is not valid: ${err.message}`] };
  }
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (err) {
    if (err instanceof SyntaxError) throw invalidArgument("it is not JSON", { cause: err });
    throw err;
  }
}

function findProblems({ issuer, rules }: Given, path: string): string[] {
  const problems = isIssuer(issuer)
    ? []
    : [`has a wrong ${path}.issuer: it must be an https URL without a query; http is for this machine alone`];
  const unknown = rules.flatMap(({ projects }) => projects ?? []).filter((uuid) => !isUuid(uuid));
  return [...problems, ...unknown.map((uuid) => `has a wrong ${path}.rules: '${uuid}' is not a uuid`)];
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash, username } = new URL(text);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return (protocol === "https:" || (protocol === "http:" && isHere)) && `${search}${hash}${username}` === "";
}

function toProvider(given: Given, toSecret: (text: string) => Secret): SignInProvider {
  const { id, name = id, issuer, client_id: clientId, client_secret: secret, rules } = given;
  return {
    id,
    name,
    issuer,
    clientId,
    clientSecret: secret === undefined ? undefined : toSecret(secret),
    scopes: given.scopes ?? ["email", "profile"],
    nameClaim: given.name_claim ?? "email",
    rules: rules.map(({ claim, has, role, projects = null }): SignInRule => ({
      claim,
      has,
      role,
      projects: projects === null ? null : projects.map((uuid) => uuid.toLowerCase()),
    })),
  };
}

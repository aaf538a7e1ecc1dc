import { parseNetworks, reachBounds, type TokenReach } from "@gatehouse/principal";
import { isSlug, slugRule } from "@gatehouse/slugs";
import { type Argument, argument, invalid, list, nullable, quote, text } from "../domain/arguments.ts";

const { endpointsMax, toolsMax, patternLengthMax, networksMax } = reachBounds;

const slug: Argument<string> = argument({ type: "string", description: "An endpoint's slug." }, (value, field) => {
  if (typeof value !== "string") throw invalid(field, "must be string");
  if (!isSlug(value)) throw invalid(field, `must be a slug: ${slugRule}`);
  return value;
});

const network: Argument<string> = argument(
  { type: "string", description: "A network or an address." },
  (value, field) => {
    if (typeof value !== "string") throw invalid(field, "must be string");
    if (parseNetworks([value]).bad.length === 0) return value;
    throw invalid(field, `must be a network such as 10.0.0.0/8 or 2001:db8::/32, not ${quote(value)}`);
  },
);

/** What a token may reach. A name need not exist: it is a rule about names, and holds for what is made later too. */
export const reachArguments = {
  endpoints: nullable(
    list(slug, {
      description: "Slugs of the endpoints that it may reach; others answer as if they did not exist. Null is all.",
      min: 0,
      max: endpointsMax,
    }),
  ),
  tools: nullable(
    list(text({ description: "A pattern of names.", lengthMax: patternLengthMax }), {
      description:
        "MCP tools that it may see and call, by name (in Gateway mode with prefix); '*' stands for any characters. Null is all.",
      min: 0,
      max: toolsMax,
    }),
  ),
  networks: nullable(
    list(network, {
      description: "Networks that it may be used from, e.g. 10.0.0.0/8; other callers are refused. Null is everywhere.",
      min: 1,
      max: networksMax,
    }),
  ),
};

type Given = { readonly [Name in keyof TokenReach]: TokenReach[Name] | undefined };

/** Lays what a call names over what holds now; repeats are dropped. @throws GatewayError `invalid_argument` */
export function readReach({ endpoints, tools, networks }: Given, present: TokenReach): TokenReach {
  const reach = {
    endpoints: unrepeated(endpoints, present.endpoints),
    tools: unrepeated(tools, present.tools),
    networks: unrepeated(networks, present.networks),
  };
  const { length } = JSON.stringify(reach);
  if (length <= reachBounds.lengthMax) return reach;
  throw invalid("endpoints, tools and networks", `must have at most ${reachBounds.lengthMax} characters together`);
}

function unrepeated(given: readonly string[] | null | undefined, present: readonly string[] | null) {
  if (given === undefined) return present;
  return given === null ? null : [...new Set(given)];
}

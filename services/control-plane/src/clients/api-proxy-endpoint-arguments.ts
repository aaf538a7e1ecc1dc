import { isJsonObject } from "@gatehouse/json-rpc";
import {
  type Argument,
  argument,
  type ArgumentsOf,
  idReference,
  integer,
  invalid,
  list,
  nullable,
  oneOf,
  optional,
  readArguments,
  text,
  toObjectSchema,
} from "../domain/arguments.ts";
import { newEndpointArguments } from "./chat-endpoint-arguments.ts";

const urlLengthMax = 2_048;
const nameLengthMax = 1_000;
const secretLengthMax = 8_192;
const timeoutMsMax = 600_000;

/** Methods that can be passed on (docs/api-gateway.md). */
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const urlText = text({
  description: "Where requests go; the rest of a request's path is appended. No query, no fragment.",
  lengthMax: urlLengthMax,
});

const upstreamUrl: Argument<string> = argument({ ...urlText.schema, format: "uri" }, (value, field) => {
  const url = urlText.read(value, field);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw invalid(field, "must be an http or https URL");
  return url;
});

const method = oneOf("An HTTP method.", methods);
const anyCase: Argument<string> = argument(method.schema, (value, field) =>
  method.read(typeof value === "string" ? value.toUpperCase() : value, field),
);
const allowedMethods = list(anyCase, {
  description: "Requests with another method are answered 405.",
  min: 1,
  max: methods.length,
});

const secret = (description: string) => text({ description, lengthMax: secretLengthMax });

const authKinds = {
  none: {},
  header: {
    name: text({ description: "The header's name.", lengthMax: 100 }),
    value: secret("The header's value; stored sealed and never shown."),
  },
  basic: {
    username: text({ description: "The user's name.", lengthMax: nameLengthMax }),
    password: secret("The password; stored sealed and never shown."),
  },
  oauth: { connection_id: idReference("An OAuth connection of the same project.") },
} as const;

const authType = oneOf("How the upstream knows the gateway.", ["none", "header", "basic", "oauth"]);

/** The endpoint's own authorisation at its upstream. */
export interface AuthArgument {
  readonly type: string;
  readonly name?: string;
  readonly value?: string;
  readonly username?: string;
  readonly password?: string;
  readonly connection_id?: number;
}

const auth: Argument<AuthArgument> = argument(
  {
    description: "The endpoint's own authorisation; a caller's Authorization never reaches the upstream.",
    oneOf: Object.entries(authKinds).map(([type, shape]) => {
      const { properties, required = [] } = toObjectSchema(shape);
      return {
        type: "object",
        properties: { type: { const: type }, ...(properties as object) },
        required: ["type", ...(required as readonly string[])],
      };
    }),
  },
  (value, field) => {
    if (!isJsonObject(value)) throw invalid(field, "must be object");
    const { type } = readArguments({ type: authType }, value, `${field}.`);
    return { type, ...readArguments(authKinds[type], value, `${field}.`) };
  },
);

const timeoutMs = integer({
  description: "Bound of the time to the head of the upstream's reply, milliseconds.",
  min: 1,
  max: timeoutMsMax,
});
const description = text({ description: "For people.", lengthMax: 4_000, multiline: true });

/** What `svc_create_endpoint` takes for an API Gateway endpoint. */
export const newProxyEndpointArguments = {
  slug: newEndpointArguments.slug,
  upstream_url: upstreamUrl,
  allowed_methods: allowedMethods,
  auth: optional(auth),
  timeout_ms: optional(timeoutMs),
  description: optional(description),
};

/** What `svc_update_endpoint` takes: what is absent stays, null takes a setting away. */
export const proxyEndpointChangeArguments = {
  slug: optional(newEndpointArguments.slug),
  upstream_url: optional(upstreamUrl),
  allowed_methods: optional(allowedMethods),
  auth: optional(auth),
  timeout_ms: nullable(timeoutMs),
  description: nullable(description),
};

export type ProxyEndpointChanges = ArgumentsOf<typeof proxyEndpointChangeArguments>;

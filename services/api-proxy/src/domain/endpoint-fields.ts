import {
  array,
  boolean,
  type Columns,
  defineResource,
  discriminatedUnion,
  httpUrl,
  httpUrlRule,
  id,
  integer,
  matching,
  nullable,
  object,
  ofProject,
  oneOf,
  optional,
  reference,
  refined,
  shown,
  slug,
  string,
  writable,
  writableName,
  writableOptional,
} from "@gatehouse/admin";
import { token } from "@gatehouse/http-fields";
import { Secret } from "@gatehouse/vault";
import { endpointBounds as bounds, headerValuePattern, isReservedHeader } from "./endpoint-rules.ts";
import { type EndpointAuth, proxyMethods, type ShownAuth } from "./endpoint.ts";

/** Methods are stored in upper case; callers may write lower case. */
const methods = [...proxyMethods, ...proxyMethods.map((method) => method.toLowerCase())];

/** Passwords may be empty, and contain anything but control characters. */
const secretText = (description: string) =>
  matching({
    description: `${description}; stored sealed and never shown.`,
    lengthMax: bounds.secretLengthMax,
    pattern: /^[^\p{Cc}\p{Cs}]*$/u,
    problem: "must not have control characters",
    lengthMin: 0,
  });

const authKinds = {
  none: {},
  header: {
    name: refined(
      matching({
        description: "The header's name; not one that the gateway sets, such as Host.",
        lengthMax: bounds.headerNameLengthMax,
        pattern: token,
        problem: "must be the name of an HTTP header",
      }),
      (name) => (isReservedHeader(name) ? `must not be '${name}': the gateway sets it` : undefined),
    ),
    value: matching({
      description: "The header's value; stored sealed and never shown.",
      lengthMax: bounds.secretLengthMax,
      pattern: headerValuePattern,
      problem: "must be visible ASCII characters, with spaces only inside",
    }),
  },
  basic: {
    username: matching({
      description: "The user's name.",
      lengthMax: bounds.userNameLengthMax,
      pattern: /^[^:\p{Cc}\p{Cs}]*$/u,
      problem: "must not contain ':' or control characters",
      lengthMin: 0,
    }),
    password: secretText("The password"),
  },
  oauth: { connection_id: id("An OAuth connection of the same project.") },
} as const;

const auth = discriminatedUnion(
  authKinds,
  "The endpoint's own authorisation; a caller's Authorization never reaches the upstream.",
);

/** A named route to an HTTP service, of an api_gateway project. */
export const endpoint = defineResource({
  uuid: shown(reference("The endpoint's uuid.")),
  slug: writableName(slug),
  project: ofProject,
  is_active: shown(boolean("Whether it answers.")),
  upstream_url: writable(
    refined(
      httpUrl(
        "Address that requests are sent to; the rest of a request's path is appended. No query, no fragment.",
        // Checks the text, since a parser drops an empty query.
        { pattern: /[?#]/, problem: "must not have a query or a fragment" },
      ),
      (url) => (URL.canParse(url) ? undefined : httpUrlRule),
    ),
  ),
  allowed_methods: writable(
    array(oneOf("An HTTP method.", methods), {
      description: "Requests with another method are answered 405.",
      min: 1,
      max: proxyMethods.length,
    }),
    { store: (given) => [...new Set(given.map((method) => method.toUpperCase()))] },
  ),
  auth: writableOptional(auth, {
    removedBy: { type: "none" },
    store: (given): EndpointAuth => {
      switch (given.type) {
        case "header":
          return { type: "header", name: given.name, value: new Secret(given.value) };
        case "basic":
          return { type: "basic", username: given.username, password: new Secret(given.password) };
        case "oauth":
          return { type: "oauth", connectionId: given.connection_id };
        case "none":
          return { type: "none" };
        default:
          return given satisfies never;
      }
    },
    show: ({ auth: shownAuth }: { readonly auth: ShownAuth }) => encodeAuth(shownAuth),
    shownAs: object({
      type: oneOf("Form of authorization that is added to a request.", Object.keys(authKinds)),
      name: optional(authKinds.header.name),
      username: optional(authKinds.basic.username),
      connection_id: optional(authKinds.oauth.connection_id),
    }),
  }),
  timeout_ms: writableOptional(
    nullable(
      integer({
        description: "Bound of the time to the head of the upstream's reply, milliseconds.",
        min: bounds.timeoutMsMin,
        max: bounds.timeoutMsMax,
      }),
    ),
  ),
  description: writableOptional(
    nullable(string({ description: "For people.", lengthMax: bounds.descriptionLengthMax, multiline: true })),
  ),
  created_at: shown(reference("When it was made.")),
  updated_at: shown(reference("When it was changed last.")),
});

/**
 * The part of an endpoint that administrators write, except its auth. The URL is normalised; methods are in upper case without
 * duplicates.
 */
export interface EndpointSettings extends Omit<Columns<typeof endpoint.fields>, "auth" | "allowedMethods"> {
  readonly allowedMethods: string[];
}

/** An endpoint as operations show it; of its credential, only the header's name. */
export interface Endpoint extends EndpointSettings {
  readonly uuid: string;
  readonly projectUuid: string;
  readonly isActive: boolean;
  readonly auth: ShownAuth;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

function encodeAuth(shownAuth: ShownAuth) {
  if (shownAuth.type !== "oauth") return shownAuth;
  return { type: shownAuth.type, connection_id: shownAuth.connectionId };
}

import { CredentialNames } from "./credential-names.ts";
import type { Endpoint } from "./endpoint-fields.ts";
import type { CompiledEndpoint, UpstreamAuth } from "./endpoint.ts";

/** Columns of an endpoint that requests need. */
export type EndpointSource = Pick<Endpoint, "uuid" | "slug" | "upstreamUrl" | "allowedMethods" | "timeoutMs">;

/** Prepares an endpoint for requests: splits its address, indexes its methods, and derives `Allow` and the credential names. */
export function compileEndpoint(source: EndpointSource, auth: UpstreamAuth): CompiledEndpoint {
  const { origin, pathname } = new URL(source.upstreamUrl);
  return {
    uuid: source.uuid,
    slug: source.slug,
    origin,
    basePath: pathname,
    methods: new Set(source.allowedMethods),
    allow: source.allowedMethods.join(", "),
    auth,
    credentialNames: new CredentialNames(headerOf(auth)),
    timeoutMs: source.timeoutMs ?? undefined,
  };
}

function headerOf(auth: UpstreamAuth): string | undefined {
  if (auth.kind === "none") return undefined;
  return auth.kind === "header" ? auth.name : "authorization";
}

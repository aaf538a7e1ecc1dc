import { CredentialNames } from "./credential-names.ts";
import type { CompiledEndpoint, UpstreamAuth } from "./endpoint.ts";

/** Columns of an endpoint that requests need. */
interface EndpointSource {
  readonly uuid: string;
  readonly slug: string;
  readonly upstreamUrl: string;
  readonly allowedMethods: readonly string[];
  readonly timeoutMs: number | null;
}

/** Makes an endpoint ready for requests: address split, methods in a set, `Allow` written, credentials named. */
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

/** An issuer whose JWTs a project accepts as access tokens. */
export interface TrustedIssuer {
  readonly projectUuid: string;
  readonly projectType: string;
  /** URL of the issuer, as in the `iss` claim. */
  readonly issuer: string;
  readonly scopes: readonly string[];
}

const mcpTypes: ReadonlySet<string> = new Set(["ai_gateway", "mcp_gateway"]);

/** All trusted issuers by project, in memory, so that unauthenticated requests cause no question to the control plane. */
export class TrustedIssuers {
  #byProject: ReadonlyMap<string, readonly TrustedIssuer[]> = new Map();

  replace(issuers: readonly TrustedIssuer[]): void {
    this.#byProject = Map.groupBy(issuers, ({ projectUuid }) => projectUuid.toLowerCase());
  }

  /** Whether a project accepts JWTs. */
  isTrusting(projectUuid: string): boolean {
    return this.#byProject.size > 0 && this.#byProject.has(projectUuid.toLowerCase());
  }

  /** Issuers for the MCP route of a project; empty where it has no such route. */
  forMcp(projectUuid: string): readonly TrustedIssuer[] {
    const issuers = this.#byProject.get(projectUuid.toLowerCase()) ?? [];
    return issuers.filter(({ projectType }) => mcpTypes.has(projectType));
  }
}

/** An issuer whose JWTs are access tokens of a project. */
export interface TrustedIssuer {
  readonly projectUuid: string;
  readonly projectType: string;
  /** URL of the issuer, as its tokens name it. */
  readonly issuer: string;
  readonly scopes: readonly string[];
}

/** Types of projects that the MCP route serves. */
const mcpTypes: ReadonlySet<string> = new Set(["ai_gateway", "mcp_gateway"]);

/**
 * The projects that trust issuers. Kept whole, so that no request without a known caller is a question to the control plane: whether JWTs are
 * taken at all, and where MCP clients get them, is known here.
 */
export class TrustedIssuers {
  #byProject: ReadonlyMap<string, readonly TrustedIssuer[]> = new Map();

  replace(issuers: readonly TrustedIssuer[]): void {
    this.#byProject = Map.groupBy(issuers, ({ projectUuid }) => projectUuid.toLowerCase());
  }

  /** Whether a project takes JWTs. */
  isTrusting(projectUuid: string): boolean {
    return this.#byProject.size > 0 && this.#byProject.has(projectUuid.toLowerCase());
  }

  /** Issuers that a person may sign in with for the MCP route of a project; none where it has no such route. */
  forMcp(projectUuid: string): readonly TrustedIssuer[] {
    const issuers = this.#byProject.get(projectUuid.toLowerCase()) ?? [];
    return issuers.filter(({ projectType }) => mcpTypes.has(projectType));
  }
}

/** Subject of cached answers that routers must drop. */
export type PrincipalChange =
  | { readonly kind: "token"; readonly tokenId: number }
  | { readonly kind: "project"; readonly projectUuid: string }
  | { readonly kind: "issuer"; readonly issuerId: number }
  | { readonly kind: "admin_key"; readonly adminKeyId: number }
  | { readonly kind: "console_session"; readonly sessionId: number };

/** Encodes the announcement for routers' caches as JSON. */
export function encodePrincipalChange(change: PrincipalChange): string {
  return JSON.stringify(change);
}

/** Reads an announcement of this or another version; undefined where it is unknown. */
export function parsePrincipalChange(payload: string): PrincipalChange | undefined {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch (err) {
    if (err instanceof SyntaxError) return undefined;
    throw err;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, tokenId, projectUuid, issuerId, adminKeyId, sessionId } = value as Readonly<Record<string, unknown>>;
  if (kind === "token" && typeof tokenId === "number") return { kind, tokenId };
  if (kind === "project" && typeof projectUuid === "string") return { kind, projectUuid };
  if (kind === "issuer" && typeof issuerId === "number") return { kind, issuerId };
  if (kind === "admin_key" && typeof adminKeyId === "number") return { kind, adminKeyId };
  if (kind === "console_session" && typeof sessionId === "number") return { kind, sessionId };
  return undefined;
}

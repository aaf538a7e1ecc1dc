import { metadataSchemas } from "./event-metadata.ts";

/** Events about credentials: access tokens and issuers of JWTs. */
export const accessEvents = {
  "token.created": {
    severity: "info",
    description: "An access token was created.",
    about: "project",
    metadata: metadataSchemas.token,
  },
  "token.updated": {
    severity: "info",
    description: "An access token's name, limits, expiry or reach were changed.",
    about: "project",
    metadata: metadataSchemas.tokenUpdated,
  },
  "token.rotated": {
    severity: "info",
    description: "An access token got a new plaintext; the old one is invalid.",
    about: "project",
    metadata: metadataSchemas.token,
  },
  "token.revoked": {
    severity: "warn",
    description: "An access token was revoked.",
    about: "project",
    metadata: metadataSchemas.token,
  },
  "token.deleted": {
    severity: "warn",
    description: "An access token was deleted.",
    about: "project",
    metadata: metadataSchemas.token,
  },
  "issuer.created": {
    severity: "info",
    description: "A project trusts an identity provider.",
    about: "project",
    metadata: metadataSchemas.issuer,
  },
  "issuer.updated": {
    severity: "info",
    description: "A project's requirements on an identity provider's tokens were changed.",
    about: "project",
    metadata: metadataSchemas.issuerUpdated,
  },
  "issuer.deleted": {
    severity: "warn",
    description: "A project trusts an identity provider no longer; its tokens are refused.",
    about: "project",
    metadata: metadataSchemas.issuer,
  },
} as const;

import { randomUUID } from "node:crypto";
import type { JsonObject } from "@gatehouse/admin";
import { giveSecret, type Keyring } from "@gatehouse/vault";
import type { ExternalDocument } from "../domain/external/external-document.ts";
import { invalidPolicy, type PolicyDocument } from "../domain/policy/policy-document.ts";
import { type NewExternalSecret, sealExternalSecret } from "../store/external-secrets.ts";

/** A policy and the secrets that it is saved with. */
interface WithSecrets {
  readonly document: PolicyDocument;
  readonly secrets: readonly NewExternalSecret[];
}

interface SecretKeeping {
  readonly keyring: Keyring;
  readonly projectUuid: string;
  /** The guardrails of the policy that the owner has now. */
  readonly present: readonly ExternalDocument[];
}

/**
 * A policy without the secrets that came with it, and those sealed. A saved secret stays with its guardrail's name and URL: for
 * another URL it has to be sent again, so that it cannot be sent elsewhere.
 * @throws GatewayError `invalid_argument`
 */
export function keepSecrets(document: PolicyDocument, keeping: SecretKeeping): WithSecrets {
  const secrets: NewExternalSecret[] = [];
  const external = document.external.map((entry, index): ExternalDocument => {
    const { secret: given, secret_kept: isKept, secret_id: _shown, ...settings } = entry;
    const present = keeping.present.find(({ name, url }) => name === entry.name && url === entry.url);
    const isSame = given === undefined ? isKept === true : given === present?.secret;
    if (isSame && present?.secret_id !== undefined) {
      const { secret, secret_id: uuid } = present;
      return { ...settings, ...(secret !== undefined && { secret }), secret_kept: true, secret_id: uuid };
    }
    if (given === undefined) {
      if (isKept !== true) return settings;
      throw invalidPolicy(
        `external[${index}].secret_kept`,
        "has no saved secret for this name and URL; send it again.",
      );
    }
    const secret = giveSecret(keeping.keyring, given, keeping.projectUuid);
    const uuid = randomUUID();
    secrets.push(sealExternalSecret(keeping.keyring, uuid, secret));
    const { reference } = secret;
    return { ...settings, ...(reference !== undefined && { secret: reference }), secret_kept: true, secret_id: uuid };
  });
  return { document: { ...document, external }, secrets };
}

/** A policy's fields as they are shown: where a secret is is not for reading. */
export function hideSecretIds(document: PolicyDocument): JsonObject {
  const external = document.external.map(({ secret_id: _row, ...shown }) => shown);
  return { ...document, external };
}

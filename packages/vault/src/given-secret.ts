import type { Keyring } from "./keyring.ts";
import { Secret } from "./secret.ts";

/**
 * A secret as entered by an administrator: a value, or a reference to where it is kept (`SecretSource.given`).
 * @param projectUuid null for a secret of the whole gateway
 * @throws GatewayError `invalid_argument`
 */
export function giveSecret({ references }: Keyring, text: string, projectUuid: string | null): Secret {
  return references === undefined ? new Secret(text) : references.given(text, projectUuid);
}

/** Reason why a saved secret cannot be read now; null where it can. */
export function secretWarning({ references }: Keyring, secret: Secret): string | null {
  return references?.warning(secret) ?? null;
}

import {
  boolean,
  defineResource,
  id,
  matching,
  nullable,
  reference,
  requiredSecret,
  shown,
  string,
  writableName,
} from "@gatehouse/admin";
import { credentialBounds, keyPattern, keyRule } from "../domain/provider-rules.ts";

/** A provider's credential without its key. */
export const credential = defineResource({
  id: shown(id("The credential's id.")),
  provider: shown(reference("The provider's name.")),
  name: writableName(string({ description: "A name for people.", lengthMax: credentialBounds.nameLengthMax })),
  is_active: shown(boolean("Whether calls may use it.")),
  reference: shown(
    nullable(reference("Reference to the key, env:NAME or file:/path; null for a key that is sealed here.")),
  ),
  hint: shown(reference("The key's last four characters; empty for a short key.")),
  created_at: shown(reference("When it was made.")),
  api_key: requiredSecret(
    matching({
      description: "The provider's key, stored sealed and never shown; or where it is kept: env:NAME, file:/path.",
      lengthMax: credentialBounds.keyLengthMax,
      pattern: keyPattern,
      problem: `must be ${keyRule}`,
    }),
  ),
});

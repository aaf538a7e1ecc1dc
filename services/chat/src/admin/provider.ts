import {
  boolean,
  defineResource,
  fixed,
  httpUrl,
  id,
  matching,
  nameOrId,
  nullable,
  oneOf,
  reference,
  refined,
  shown,
  writable,
  writableOptional,
} from "@gatehouse/admin";
import { providerKinds } from "@gatehouse/providers";
import { findBaseUrlProblem, providerBounds, providerNamePattern, providerNameRule } from "../domain/provider-rules.ts";

/** Schema of the argument `provider`: a name or a decimal id. Names never consist of digits only, so the two cannot collide. */
export const providerReference = nameOrId("The provider's name or id.", providerBounds.nameLengthMax);

/** A model provider of the gateway. Its name is immutable: targets, logs and prices refer to it. */
export const provider = defineResource({
  id: shown(id("The provider's id.")),
  name: fixed(
    matching({
      description: "A unique name; targets refer to it.",
      lengthMax: providerBounds.nameLengthMax,
      pattern: providerNamePattern,
      problem: `must be ${providerNameRule}`,
      // Digits only would be read as an id.
      except: { pattern: /^[0-9]+$/, problem: "must not consist of digits only" },
    }),
  ),
  kind: writable(oneOf("Which interface the provider speaks.", providerKinds)),
  base_url: writableOptional(
    nullable(
      refined(
        httpUrl(
          "Base URL of the provider, if not its public address; null is that address. No credentials and no fragment; of azure-openai only, it may have a query such as ?api-version=2024-10-21.",
        ),
        findBaseUrlProblem,
      ),
    ),
  ),
  enabled: shown(boolean("Whether calls may go to it.")),
  created_at: shown(reference("When it was made.")),
});

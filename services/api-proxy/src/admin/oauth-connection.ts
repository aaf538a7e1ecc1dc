import {
  array,
  defineResource,
  fixed,
  httpUrlWithoutFragment,
  id,
  matching,
  nullable,
  ofProject,
  oneOf,
  reference,
  refined,
  requiredSecret,
  secret,
  shown,
  string,
  urlWithoutFragment,
  writable,
  writableName,
  writableOptional,
} from "@gatehouse/admin";
import {
  connectionBounds as bounds,
  type OauthConnection,
  oauthGrants,
  scopePattern,
} from "../domain/oauth-connection.ts";

const { textLengthMax } = bounds;

/** Source of access tokens for the upstreams of an api_gateway project. */
export const oauthConnection = defineResource({
  id: shown(id("The OAuth connection's id.")),
  name: writableName(string({ description: "A name, unique in the project.", lengthMax: bounds.nameLengthMax })),
  project: ofProject,
  token_url: writable(
    refined(httpUrlWithoutFragment("The token endpoint (RFC 6749, section 3.2). No fragment."), (url) =>
      URL.canParse(url) ? undefined : urlWithoutFragment,
    ),
  ),
  client_id: writable(string({ description: "The client's id.", lengthMax: textLengthMax })),
  client_secret: requiredSecret(
    string({
      description: "The client's secret, stored sealed and never shown; or where it is kept: env:NAME, file:/path.",
      lengthMax: textLengthMax,
    }),
  ),
  client_secret_reference: shown(
    nullable(reference("Reference to the secret, env:NAME or file:/path; null for a secret that is sealed here.")),
  ),
  grant: fixed(oneOf("Grant by which access tokens are obtained.", oauthGrants)),
  refresh_token: secret(
    string({
      description: "Of the grant refresh_token, required: the first one; stored sealed and never shown.",
      lengthMax: textLengthMax,
    }),
  ),
  scopes: writableOptional(
    array(
      matching({
        description: "A scope.",
        lengthMax: bounds.scopeLengthMax,
        pattern: scopePattern,
        problem: "must be one scope: visible ASCII characters without spaces",
      }),
      { description: "Asked for with each token.", min: 0, max: bounds.scopesMax },
    ),
    { removedBy: [] },
  ),
  status: shown(reference("connected, or failed where the last question for a token failed.")),
  last_error: shown(nullable(reference("Why the last question for a token failed.")), {
    show: ({ lastError }: OauthConnection) => (lastError === "" ? null : lastError),
  }),
  refreshed_at: shown(nullable(reference("When the access token in use was got."))),
  expires_at: shown(nullable(reference("When the access token in use ends."))),
  created_at: shown(reference("When it was made.")),
});

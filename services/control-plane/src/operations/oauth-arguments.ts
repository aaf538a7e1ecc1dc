import { GatewayError } from "@gatehouse/errors";
import { idReference, list, oneOf, optional, text } from "../domain/arguments.ts";
import { isRowId } from "../domain/row-id.ts";

const secretLengthMax = 8_192;

/** What `svc_create_oauth_connection` takes besides project and name. */
export const oauthArguments = {
  token_url: text({ description: "The token endpoint (RFC 6749, section 3.2).", lengthMax: 2_048 }),
  client_id: text({ description: "The client's id.", lengthMax: secretLengthMax }),
  client_secret: text({
    description: "The client's secret; stored sealed and never shown.",
    lengthMax: secretLengthMax,
  }),
  grant: oneOf("How access tokens are got.", ["client_credentials", "refresh_token"]),
  refresh_token: optional(
    text({ description: "Of the grant refresh_token, required: the first one.", lengthMax: secretLengthMax }),
  ),
  scopes: optional(
    list(text({ description: "A scope.", lengthMax: 500 }), {
      description: "Asked for with each token.",
      min: 0,
      max: 100,
    }),
  ),
};

export const connectionId = idReference("The OAuth connection's id.");

/** @throws `OAuth connection not found: <id>` for a number that is no row's id. */
export function requireConnectionId(id: number): number {
  if (isRowId(id)) return id;
  throw new GatewayError("not_found", `OAuth connection not found: ${id}`);
}

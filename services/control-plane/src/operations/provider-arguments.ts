import { GatewayError } from "@gatehouse/errors";
import { type Argument, argument, idReference, invalid, text } from "../domain/arguments.ts";
import { isRowId } from "../domain/row-id.ts";

/** The interfaces that the chat service speaks (decisions: "Control Plane"). */
export const providerKinds = [
  "openai",
  "anthropic",
  "google",
  "azure-openai",
  "bedrock",
  "mistral",
  "openai-compatible",
  "mock",
] as const;

/** The chat service checks this; here it is shown to clients. */
const namePattern = "^[A-Za-z0-9][A-Za-z0-9._-]*( [A-Za-z0-9._-]+)*$";
const nameLengthMax = 63;
const urlLengthMax = 2_048;

const nameText = text({ description: "A unique name; targets refer to it.", lengthMax: nameLengthMax });
const urlText = text({
  description: "Where the provider answers, if not at its public address.",
  lengthMax: urlLengthMax,
});

/** A name of digits only would be taken for an id. */
export const providerName: Argument<string> = argument({ ...nameText.schema, pattern: namePattern }, (value, field) => {
  const name = nameText.read(value, field);
  if (/^\d+$/.test(name)) throw invalid(field, "must not consist of digits only");
  return name;
});

export const baseUrl: Argument<string> = argument({ ...urlText.schema, format: "uri" }, (value, field) => {
  const url = urlText.read(value, field);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid(field, "must be an http or https URL");
  return url;
});

export const credentialId = idReference("The credential's id.");

/** @throws `Credential not found: <id>` for a number that is no row's id. */
export function requireCredentialId(id: number): number {
  if (isRowId(id)) return id;
  throw new GatewayError("not_found", `Credential not found: ${id}`);
}

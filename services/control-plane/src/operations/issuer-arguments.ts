import { GatewayError } from "@gatehouse/errors";
import { isScope, type Scope, scopes } from "@gatehouse/principal";
import { type Argument, argument, idReference, invalid, list, quote, reference, text } from "../domain/arguments.ts";
import { isSubject } from "../domain/jwt-claims.ts";

const scopesMax = 16;
const urlLengthMax = 2_048;
const textLengthMax = 255;

const scopeTexts = list(reference("A scope."), {
  description: "At most what its tokens may do.",
  min: 0,
  max: scopesMax,
});

/** Scopes of a token or an issuer, each once. */
export const scopesArgument: Argument<readonly Scope[]> = argument(
  { ...scopeTexts.schema, items: { type: "string", enum: scopes } },
  (value, field) => {
    const texts = [...new Set(scopeTexts.read(value, field))];
    const unknown = texts.filter((each) => !isScope(each));
    if (unknown.length > 0) {
      throw new GatewayError("invalid_argument", `Unknown scope(s): ${unknown.map(quote).join(", ")}`);
    }
    return texts.filter(isScope);
  },
);

function url(description: string): Argument<string> {
  const inner = text({ description, lengthMax: urlLengthMax });
  return argument(inner.schema, (value, field) => {
    const given = inner.read(value, field);
    const { protocol, username, hash } = URL.parse(given) ?? {};
    if ((protocol === "https:" || protocol === "http:") && username === "" && hash === "") return given;
    throw invalid(field, "must be a URL that starts with https:// or http://, without a user or a fragment");
  });
}

export const issuerId = idReference("The issuer's id.");
export const issuerUrl = url("Its URL, exactly as its tokens name it (iss).");
export const audience = text({ description: "What its tokens are for (aud).", lengthMax: textLengthMax });
export const scopeClaim = text({
  description:
    "The claim that narrows the scopes: a list, or a text with spaces. Null: 'scope', and a token without it has all.",
  lengthMax: textLengthMax,
});
export const jwksUrl = url("Where its public keys are. Null: where its OpenID discovery document says.");

export const subject: Argument<string> = argument(
  { type: "string", description: "As its tokens name it (sub)." },
  (value, field) => {
    if (isSubject(value)) return value;
    throw invalid(field, "must be a string of 1 to 200 characters without control characters");
  },
);

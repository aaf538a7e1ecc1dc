import type { JsonObject } from "@gatehouse/json";
import type { CompletionRequest } from "../forms/completion.ts";
import { askedTokens, cappedTokens } from "../output-limit.ts";
import type { Attempt } from "../provider.ts";
import type { ProviderModel } from "./provider-model.ts";

/** A correction of an outgoing body, after the package has written it. */
export type BodyEdit = (body: JsonObject) => JsonObject;

/** Edits of a request's body, in order; often none, since each body that is edited must be parsed and written again. */
export function bodyEditsOf(
  { settleReasoning, limitAnswer }: ProviderModel,
  request: CompletionRequest,
  attempt: Attempt,
): readonly BodyEdit[] {
  const edits: BodyEdit[] = [];
  const reasons = typeof request["reasoning_effort"] === "string";
  if (settleReasoning !== undefined && reasons) edits.push((body) => settleReasoning(body, request));
  const tokensMax = limitOf(request, attempt);
  if (tokensMax !== undefined) edits.push((body) => limitAnswer(body, tokensMax));
  return edits;
}

/** Most tokens of the answer, reasoning included, as in OpenAI's API: the caller's limit, and that of the attempt. */
function limitOf(request: CompletionRequest, { answerTokensMax: tokensMax }: Attempt): number | undefined {
  return tokensMax === undefined ? askedTokens(request) : cappedTokens(request, tokensMax);
}

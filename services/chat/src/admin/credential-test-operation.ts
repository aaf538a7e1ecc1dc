import { defineOperation, id, isRowId, optional, record, resourceNotFound, text } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { type AttemptBounds, limitAnswer, ProviderError } from "@gatehouse/providers";
import { answered, type CredentialVerdict, testMessages, testTokensMax, verdictOf } from "../domain/credential-test.ts";
import { endpointBounds } from "../domain/endpoint-bounds.ts";
import { readCredentialToTest } from "../store/credential-to-test.ts";
import { type AdminContext, administerGateway } from "./admin-context.ts";

/** Longest wait for a provider, milliseconds; the operation's own bound leaves room for the rest. */
const attemptMs = 15_000;
const timeoutMs = 20_000;
const bounds: AttemptBounds = {
  connectMs: 5_000,
  headersMs: attemptMs,
  firstTokenMs: attemptMs,
  idleMs: attemptMs,
  totalMs: attemptMs,
};

/** One short call with one key, over the same adapter and connections as calls of clients. */
export const credentialTestOperation = defineOperation({
  name: "svc_test_credential",
  description:
    "Makes one very short call with a credential, active or not, and says whether the provider answers: `ok`, its HTTP `status` " +
    "and a `message` without the key. It costs a few tokens, changes nothing, and does not touch the circuit breaker.",
  access: administerGateway,
  timeoutMs,
  input: record({
    credential_id: id("The credential's id."),
    model: optional(
      text({
        description: "The provider's name of the model to ask; that of an endpoint's target when absent.",
        lengthMax: endpointBounds.modelLengthMax,
      }),
    ),
  }),
  async run({ input, signal }, { store, keyring, adapterFor, now }: AdminContext) {
    const { credential_id: credentialId, model: asked } = input;
    if (!isRowId(credentialId)) throw resourceNotFound("Credential", credentialId);
    const { address, model: used } = await readCredentialToTest(store, keyring, credentialId);
    const model = asked ?? used;
    if (model === undefined) {
      const problem = `Missing required argument: model; no endpoint's target names provider ${address.provider}`;
      throw new GatewayError("invalid_argument", problem);
    }
    const begunMs = now();
    const verdict = await tryCall(async () => {
      const limit = { kind: address.kind, endpoint: { parameters: null }, tokensMax: testTokensMax };
      const request = { ...limitAnswer({}, limit), model, messages: testMessages };
      const attempt = { bounds, signal, traceparent: undefined, answerTokensMax: testTokensMax };
      await adapterFor(address.kind).complete({ ...address, model }, request, attempt);
    });
    return { ...verdict, provider: address.provider, model, duration_ms: Math.round(now() - begunMs) };
  },
});

async function tryCall(call: () => Promise<void>): Promise<CredentialVerdict> {
  try {
    await call();
    return answered;
  } catch (err) {
    if (!(err instanceof ProviderError) || err.failure === "aborted") throw err;
    return verdictOf(err);
  }
}

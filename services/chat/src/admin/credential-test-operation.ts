import {
  administerGateway,
  boolean,
  defineOperation,
  id,
  isRowId,
  nullable,
  number,
  object,
  optional,
  resourceNotFound,
  string,
} from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { tryCredential } from "@gatehouse/providers";
import { endpointBounds } from "../domain/endpoint-bounds.ts";
import { readCredentialToTest } from "../store/credentials.ts";
import type { AdminContext } from "./admin-context.ts";

/** Milliseconds: the longest wait for a provider, and a margin. */
const timeoutMs = 20_000;

/** Sends one short call with one key, through the adapter and connections of clients' calls. */
export const credentialTestOperation = defineOperation({
  name: "svc_test_credential",
  description:
    "Makes one very short call with a credential, active or not, and says whether the provider answers: `ok`, its HTTP `status` " +
    "and a `message` without the key. It costs a few tokens, changes nothing, and does not touch the circuit breaker.",
  access: administerGateway,
  timeoutMs,
  input: object({
    credential_id: id("The credential's id."),
    model: optional(
      string({
        description: "The provider's name of the model to ask; that of an endpoint's target when absent.",
        lengthMax: endpointBounds.modelLengthMax,
      }),
    ),
  }),
  output: object({
    ok: boolean(),
    status: nullable(number()),
    message: string(),
    provider: string(),
    model: string(),
    duration_ms: number(),
  }),
  async run({ input, signal }, { store, keyring, adapterFor, now }: AdminContext) {
    const { credential_id: credentialId, model: asked } = input;
    if (!isRowId(credentialId)) throw resourceNotFound("Credential", credentialId);
    const { address, model: used } = await readCredentialToTest(store, keyring, credentialId);
    const model = asked ?? used;
    if (model === undefined) {
      const problem = `Missing required argument: model; no endpoint's target names provider ${address.provider}`;
      throw invalidArgument(problem);
    }
    const begunMs = now();
    const verdict = await tryCredential(adapterFor(address.kind), { ...address, model }, signal);
    return { ...verdict, provider: address.provider, model, duration_ms: Math.round(now() - begunMs) };
  },
});

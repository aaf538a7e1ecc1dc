import {
  defineOperation,
  flag,
  id,
  isRowId,
  optional,
  page,
  record,
  resourceNotFound,
  toPageRequest,
} from "@gatehouse/admin";
import { Secret } from "@gatehouse/vault";
import {
  createCredential,
  deleteCredential,
  listCredentials,
  setCredentialActive,
  updateCredential,
} from "../store/credentials.ts";
import { type AdminContext, administerGateway, readGateway, writing } from "./admin-context.ts";
import { credential } from "./credential.ts";
import { providerReference } from "./provider.ts";

const credentialId = id("The credential's id.");

/** @throws GatewayError `not_found` for a number that is no row's id. */
function requireId(given: number): number {
  if (isRowId(given)) return given;
  throw resourceNotFound("Credential", given);
}

const create = defineOperation({
  name: "svc_create_credential",
  description: "Stores a provider's key, sealed. It is never shown again but for its last four characters.",
  access: administerGateway,
  input: record({ provider: providerReference, ...credential.createInput }),
  async run({ input, origin }, context: AdminContext) {
    const given = { provider: String(input.provider), name: input.name, apiKey: new Secret(input.api_key) };
    return credential.encode(await createCredential(writing(context, origin), context.keyring, given));
  },
});

const list = defineOperation({
  name: "svc_list_credentials",
  description: "Lists credentials without their keys, oldest first; of one provider, or of all.",
  access: readGateway,
  input: record({ provider: optional(providerReference), ...page }),
  async run({ input }, { store }: AdminContext) {
    const { provider } = input;
    const filter = provider === undefined ? {} : { provider: String(provider) };
    const { items, nextCursor } = await listCredentials(store, { ...toPageRequest(input), ...filter });
    return { credentials: items.map(credential.encode), next_cursor: nextCursor ?? null };
  },
});

const update = defineOperation({
  name: "svc_update_credential",
  description:
    "Changes a credential's name or replaces its key in place; what is absent stays. Calls use the new key at once, and a " +
    "circuit breaker that the old one opened counts no more.",
  access: administerGateway,
  input: record({ credential_id: credentialId, ...credential.updateInput }),
  async run({ input, origin }, context: AdminContext) {
    const { credential_id: given, name, api_key: apiKey } = input;
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(apiKey === undefined ? {} : { apiKey: new Secret(apiKey) }),
    };
    const change = { id: requireId(given), changes };
    return credential.encode(await updateCredential(writing(context, origin), context.keyring, change));
  },
});

const setActive = defineOperation({
  name: "svc_set_credential_active",
  description: "Switches a credential on or off.",
  access: administerGateway,
  input: record({ credential_id: credentialId, is_active: flag("Whether calls may use it.") }),
  async run({ input, origin }, context: AdminContext) {
    const change = { id: requireId(input.credential_id), isActive: input.is_active };
    return credential.encode(await setCredentialActive(writing(context, origin), change));
  },
});

const remove = defineOperation({
  name: "svc_delete_credential",
  description: "Deletes a credential.",
  access: administerGateway,
  input: record({ credential_id: credentialId }),
  async run({ input, origin }, context: AdminContext) {
    const deleted = await deleteCredential(writing(context, origin), requireId(input.credential_id));
    return { ...credential.encode(deleted), deleted: true };
  },
});

export const credentialOperations = [create, list, update, setActive, remove] as const;

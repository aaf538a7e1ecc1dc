import {
  administerGateway,
  boolean,
  defineCollection,
  defineOperation,
  nullable,
  object,
  optional,
  readGateway,
  rowKey,
  string,
} from "@gatehouse/admin";
import { giveSecret, secretWarning } from "@gatehouse/vault";
import {
  createCredential,
  deleteCredential,
  listCredentials,
  setCredentialActive,
  updateCredential,
} from "../store/credentials.ts";
import { requireProvider } from "../store/providers.ts";
import { type AdminContext, writing } from "./admin-context.ts";
import { credential } from "./credential.ts";
import { providerReference } from "./provider.ts";

const credentials = defineCollection({
  list: "credentials",
  key: rowKey("Credential", "credential_id"),
  shape: credential.shape,
  show: (row: object, _context: AdminContext) => credential.encode(row),
});

const create = defineOperation({
  name: "svc_create_credential",
  description: "Stores a provider's key, sealed. Only its last four characters are shown again.",
  access: administerGateway,
  takesIdempotencyKey: true,
  input: object({ provider: providerReference, ...credential.createInput }),
  output: object({ ...credential.shape.properties, warning: nullable(string()) }),
  async prepare({ input, planned }, { keyring, store }: AdminContext) {
    const named = String(input.provider);
    if (!planned.references.has(`provider/${named}`)) {
      await store.read(async (client) => await requireProvider(client, named));
    }
    return { apiKey: giveSecret(keyring, input.api_key, null) };
  },
  async run({ input, initiator, prepared: { apiKey } }, context) {
    const { keyring } = context;
    const given = { provider: String(input.provider), name: input.name, apiKey };
    const created = await createCredential(writing(context, initiator), keyring, given);
    return { ...credential.encode(created), warning: secretWarning(keyring, apiKey) };
  },
});

const list = credentials.list({
  name: "svc_list_credentials",
  description: "Lists credentials without their keys, oldest first; of one provider, or of all.",
  access: readGateway,
  input: { provider: optional(providerReference) },
  async find({ input: { provider } }, page, { store }: AdminContext) {
    return await listCredentials(store, { ...page, ...(provider === undefined ? {} : { provider: String(provider) }) });
  },
});

const update = credentials.about({
  name: "svc_update_credential",
  description:
    "Changes a credential's name or replaces its key in place; what is absent stays. Calls use the new key at once, and a " +
    "circuit breaker that the old one opened counts no more.",
  access: administerGateway,
  input: credential.updateInput,
  output: object({ ...credential.shape.properties, warning: nullable(string()) }),
  async run(id, { input: { name, api_key: key }, initiator }, context: AdminContext) {
    const { keyring } = context;
    const apiKey = key === undefined ? undefined : giveSecret(keyring, key, null);
    const updated = await updateCredential(writing(context, initiator), keyring, { id, name, apiKey });
    return { ...credential.encode(updated), warning: apiKey === undefined ? null : secretWarning(keyring, apiKey) };
  },
});

const setActive = credentials.one({
  name: "svc_set_credential_active",
  description: "Switches a credential on or off.",
  access: administerGateway,
  input: { is_active: boolean("Whether calls may use it.") },
  run: async (id, { input, initiator }, context: AdminContext) =>
    await setCredentialActive(writing(context, initiator), { id, isActive: input.is_active }),
});

const remove = credentials.remove({
  name: "svc_delete_credential",
  description: "Deletes a credential.",
  access: administerGateway,
  run: async (id, { initiator }, context: AdminContext) => await deleteCredential(writing(context, initiator), id),
});

/** Operations on providers' keys, for administrators of the whole gateway. Results have a key's last four characters only. */
export const credentialOperations = [create, list, update, setActive, remove] as const;

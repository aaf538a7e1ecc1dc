import {
  administerGateway,
  array,
  defineOperation,
  matching,
  nullable,
  object,
  optional,
  record,
  string,
  unknown,
} from "@gatehouse/admin";
import { recipientLengthMax, recipientPattern } from "@gatehouse/vault";
import { toDocument } from "../domain/configuration/export.ts";
import { namingOperations, type SettingNames, settingNamesOf } from "../domain/configuration/setting-names.ts";
import { backupExported } from "../events.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import type { AdminContext } from "./admin-context.ts";
import { readConfiguration } from "./read-configuration.ts";

const recipient = matching({
  description: "An age recipient of the kind X25519 (age1…): the secrets are in the reply, sealed to it.",
  lengthMin: 1,
  lengthMax: recipientLengthMax,
  pattern: recipientPattern,
  problem: "must be an age recipient (age1…)",
});

/** Exports the whole configuration with its secrets, encrypted to the recipient's public key. */
export const exportBackup = defineOperation({
  name: "svc_export_backup",
  description:
    "The whole configuration as one document, which svc_apply_config takes. Secrets cannot be read: where a provider key, a bearer " +
    "token or a client secret was, the document has ${NAME}, to be filled in before it is applied to another gateway; " +
    "secret_names lists them. With a recipient the reply also has the secrets, sealed so that only the holder of its private key " +
    "opens them: sealed_secrets.parts are age files of JSON objects, place to secret, and sealed_secrets.names says which ${NAME} is at " +
    "which place. Access tokens and webhook secrets are new there.",
  access: administerGateway,
  input: object({ recipient: optional(recipient) }),
  output: object({
    document: record(unknown()),
    secret_names: array(string()),
    sealed_secrets: nullable(object({ names: record(unknown()), parts: array(string()) })),
  }),
  async run({ input: { recipient: to }, initiator }, { operations, federation, audit }: AdminContext) {
    const settings = await readSettingNames(operations);
    const { document, secretNames, secretPlaces } = toDocument(await readConfiguration(operations), settings);
    const parts = to === undefined ? undefined : await federation.exportSecrets(to);
    await audit.record(backupExported(initiator, parts !== undefined));
    const sealed = parts === undefined ? null : { names: secretPlaces, parts };
    return { document, secret_names: secretNames, sealed_secrets: sealed };
  },
});

async function readSettingNames(runner: OperationRunner): Promise<SettingNames> {
  const names = namingOperations.map(async (name) => [name, await runner.argumentNames(name)] as const);
  return settingNamesOf(new Map(await Promise.all(names)));
}

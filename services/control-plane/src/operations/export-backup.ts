import { toDocument } from "../domain/configuration/export.ts";
import { backupExported } from "../events.ts";
import { administerGateway } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { readConfiguration } from "./read-configuration.ts";

export const exportBackup = defineOperation({
  name: "svc_export_backup",
  description:
    "The whole configuration as one document, which svc_apply_config takes. Secrets cannot be read: where a provider key, a bearer " +
    "token or a client secret was, the document has ${NAME}, to be filled in before it is applied to another gateway; " +
    "secret_names lists them. Access tokens and webhook secrets are made anew there.",
  access: administerGateway,
  arguments: {},
  async run(_args, { operations, audit, caller }) {
    const { document, secretNames } = toDocument(await readConfiguration(operations));
    await audit.record(backupExported(caller.originFor(null)));
    return { document, secret_names: secretNames };
  },
});

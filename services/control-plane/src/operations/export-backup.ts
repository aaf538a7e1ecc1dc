import { toDocument } from "../domain/configuration/export.ts";
import { backupExported } from "../events.ts";
import { administerGateway } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import { readConfiguration } from "./read-configuration.ts";

export const exportBackup = defineOperation({
  name: "svc_export_backup",
  description:
    "The whole configuration as one document, which svc_apply_config takes. Secrets cannot be read and are not in it: provider " +
    "keys, bearer tokens and client secrets have to be filled in, access tokens and webhook secrets are made anew.",
  access: administerGateway,
  arguments: {},
  async run(_args, { operations, audit, caller }) {
    const document = toDocument(await readConfiguration(operations));
    await audit.record(backupExported(caller.originFor(null)));
    return { document };
  },
});

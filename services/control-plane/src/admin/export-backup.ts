import { defineOperation, record } from "@gatehouse/admin";
import { toDocument } from "../domain/configuration/export.ts";
import { backupExported } from "../events.ts";
import { administerGateway } from "../domain/access.ts";
import type { AdminContext } from "./admin-context.ts";
import { readConfiguration } from "./read-configuration.ts";

export const exportBackup = defineOperation({
  name: "svc_export_backup",
  description:
    "The whole configuration as one document, which svc_apply_config takes. Secrets cannot be read: where a provider key, a bearer " +
    "token or a client secret was, the document has ${NAME}, to be filled in before it is applied to another gateway; " +
    "secret_names lists them. Access tokens and webhook secrets are made anew there.",
  access: administerGateway,
  input: record({}),
  async run({ origin }, { operations, audit }: AdminContext) {
    const { document, secretNames } = toDocument(await readConfiguration(operations));
    await audit.record(backupExported(origin));
    return { document, secret_names: secretNames };
  },
});

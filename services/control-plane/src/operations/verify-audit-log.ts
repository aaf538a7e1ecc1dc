import { optional } from "../domain/arguments.ts";
import { parseUuid } from "../domain/uuid.ts";
import { defineOperation } from "./operation.ts";
import { project } from "./shared-arguments.ts";

/** Every row is read and hashed; millions take minutes. */
const timeoutMs = 300_000;

export const verifyAuditLog = defineOperation({
  name: "svc_verify_audit_log",
  description:
    "Walks the audit log's hash chains, one project's or all, and names the first row of each that was edited, is missing, or was cut off.",
  arguments: { project: optional(project) },
  async run(args, { logbook, projects }) {
    const uuid = args.project === undefined ? "" : (parseUuid(args.project) ?? (await projects.get(args.project)).uuid);
    const { rows, chains, faults } = await logbook.verifyAuditChain({ projectUuid: uuid }, { deadline: timeoutMs });
    // A deleted project still has its chain; one without a row must exist.
    if (uuid !== "" && rows === 0 && faults.length === 0) await projects.get(uuid);
    const found = faults.map(({ projectUuid, sequence, kind, detail }) => {
      return { project: projectUuid === "" ? null : projectUuid, sequence, kind, detail };
    });
    return { ok: faults.length === 0, rows, chains, faults: found };
  },
});

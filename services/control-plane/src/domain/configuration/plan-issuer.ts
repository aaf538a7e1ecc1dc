import { differing, pick } from "./differing.ts";
import type { DocumentProject } from "./document.ts";
import { creation, type OwningProject, type PlannedChange, update } from "./planned-change.ts";
import type { ProjectState } from "./state.ts";

type WantedIssuer = NonNullable<DocumentProject["issuers"]>[number];

/** Changes for an issuer, and for each subject to revoke. Revocations are never withdrawn. */
export function planIssuer(
  { revoked_subjects: subjects = [], ...settings }: WantedIssuer,
  project: ProjectState | undefined,
  owned: OwningProject,
): PlannedChange[] {
  const name = settings.issuer;
  const current = project?.issuers.find((issuer) => issuer.settings["issuer"] === name);
  const place = { kind: "issuer", name, project: owned.name } as const;
  const revoked = new Set(current?.revokedSubjects);
  const toRevoke = [...new Set(subjects)].filter((subject) => !revoked.has(subject));
  const revocation = { ...place, fields: ["revoked_subjects"], operation: "svc_revoke_subject" } as const;
  if (current === undefined) {
    const args = { ...place, operation: "svc_create_issuer", arguments: settings, subject: owned.subject };
    const made = creation(args);
    const revoke = (subject: string) =>
      update({ ...revocation, arguments: { subject }, made: { argument: "issuer_id", by: made } });
    return [made, ...toRevoke.map(revoke)];
  }
  const id = { issuer_id: current.settings["id"] };
  const fields = differing(settings, current.settings);
  const change = { ...place, fields, operation: "svc_update_issuer", arguments: { ...id, ...pick(settings, fields) } };
  return [
    ...(fields.length === 0 ? [] : [update(change)]),
    ...toRevoke.map((subject) => update({ ...revocation, arguments: { ...id, subject } })),
  ];
}

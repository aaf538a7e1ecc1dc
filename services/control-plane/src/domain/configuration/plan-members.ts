import { quote } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { differing, pick } from "./differing.ts";
import type { DocumentProject, DocumentProvider } from "./document.ts";
import { type Pair, pairByName } from "./pair-by-name.ts";
import { planPolicy } from "./plan-policy.ts";
import { creation, type ItemKind, type OwningProject, type PlannedChange, update } from "./planned-change.ts";
import type { ProjectState } from "./state.ts";

/** Items that are identified by name, and the operations that create and change them. */
interface NamedKind {
  readonly kind: ItemKind;
  readonly create: string;
  readonly update: string;
  /** The argument of the update that identifies the item. */
  readonly id: string;
  /** Settings that the update cannot change. */
  readonly fixed: readonly string[];
}

/** Tokens, for `planNamed`: a document cannot change the scopes or the environment of an existing one. */
export const tokenKind: NamedKind = {
  kind: "token",
  create: "svc_create_token",
  update: "svc_update_token",
  id: "token_id",
  fixed: ["scopes", "environment"],
};
/** OAuth connections, for `planNamed`: a document cannot change the grant of an existing one. */
export const connectionKind: NamedKind = {
  kind: "oauth_connection",
  create: "svc_create_oauth_connection",
  update: "svc_update_oauth_connection",
  id: "connection_id",
  fixed: ["grant"],
};

interface NamedItems {
  readonly wanted: readonly (JsonObject & { readonly name: string })[];
  readonly current: readonly JsonObject[];
}

/** Changes that create missing items and update others. @throws where an update is impossible */
export function planNamed({ wanted, current }: NamedItems, owned: OwningProject, of: NamedKind): PlannedChange[] {
  const { kind } = of;
  return pairByName(wanted, current, kind).flatMap(({ wanted: item, existing }) => {
    if (existing === undefined) {
      const made = creation({ kind, name: item.name, operation: of.create, arguments: item });
      return [{ ...made, project: owned.name, subject: owned.subject }];
    }
    const fields = differing(item, existing);
    const fixed = fields.filter((field) => of.fixed.includes(field));
    if (fixed.length > 0) {
      throw invalidArgument(
        `The ${kind} ${quote(item.name)} exists with another ${fixed.join(", ")}, which cannot be changed.`,
      );
    }
    if (fields.length === 0) return [];
    const args = { [of.id]: existing["id"], ...pick(item, fields) };
    const changed = update({ kind, name: item.name, fields, operation: of.update, arguments: args });
    return [{ ...changed, project: owned.name }];
  });
}

type WantedCredential = NonNullable<DocumentProvider["credentials"]>[number];

/** Changes for one credential of a provider: creation or update, and its switch. */
export function planCredential({ wanted, existing }: Pair<WantedCredential>, provider: string): PlannedChange[] {
  const { name, is_active: isActive, ...settings } = wanted;
  const switching = {
    kind: "credential",
    name: `${provider}/${name}`,
    operation: "svc_set_credential_active",
  } as const;
  if (existing === undefined) {
    const args = { provider, name, ...settings };
    const made = creation({ ...switching, operation: "svc_create_credential", arguments: args });
    return isActive === false ? [made, switchOff(made, switching.operation, "credential_id")] : [made];
  }
  const id = { credential_id: existing["id"] };
  // A key alone is no difference, so only an unknown setting reaches this, for the operation to refuse.
  const fields = differing(settings, existing);
  const args = { ...id, ...pick(settings, fields) };
  return [
    ...(fields.length === 0
      ? []
      : [update({ ...switching, fields, operation: "svc_update_credential", arguments: args })]),
    ...(isActive === undefined || isActive === existing["is_active"]
      ? []
      : [update({ ...switching, fields: ["is_active"], arguments: { ...id, is_active: isActive } })]),
  ];
}

/** Deactivates a new item, which is active, if the document wants that. */
function switchOff(made: PlannedChange, operation: string, argument: string): PlannedChange {
  const { kind, name, project } = made;
  const change = update({ kind, name, fields: ["is_active"], operation, arguments: { is_active: false } });
  return { ...change, ...(project === undefined ? {} : { project }), made: { argument, by: made } };
}

type WantedEndpoint = NonNullable<DocumentProject["endpoints"]>[number];

/** Changes for one endpoint of a project, by slug. */
export function planEndpoint(
  wanted: WantedEndpoint,
  project: ProjectState | undefined,
  owned: OwningProject,
): PlannedChange[] {
  const { slug, is_active: isActive, guardrails, ...settings } = wanted;
  const current = project?.endpoints.find((endpoint) => endpoint.settings["slug"] === slug);
  const place = { project: owned.name, subject: { ...owned.subject, argument: "endpoint", slug } } as const;
  const changes: PlannedChange[] = [];
  if (current === undefined) {
    const change = creation({
      kind: "endpoint",
      name: slug,
      operation: "svc_create_endpoint",
      arguments: { slug, ...settings },
    });
    changes.push({ ...change, project: owned.name, subject: owned.subject });
  } else {
    const fields = differing(settings, current.settings);
    const args = pick(settings, fields);
    if (fields.length > 0)
      changes.push({
        ...update({ kind: "endpoint", name: slug, fields, operation: "svc_update_endpoint", arguments: args }),
        ...place,
      });
  }
  changes.push(...planPolicy(slug, guardrails, { ...place, projectType: owned.type, current: current?.guardrails }));
  if (isActive !== undefined && isActive !== (current?.settings["is_active"] ?? true)) {
    const change = update({
      kind: "endpoint",
      name: slug,
      fields: ["is_active"],
      operation: "svc_set_endpoint_active",
      arguments: { is_active: isActive },
    });
    changes.push({ ...change, ...place });
  }
  return changes;
}

type WantedUpstream = NonNullable<DocumentProject["upstreams"]>[number];

/** Changes for one upstream of a project, by prefix. */
export function planUpstream(
  wanted: WantedUpstream,
  project: ProjectState | undefined,
  owned: OwningProject,
): PlannedChange[] {
  const { prefix, is_active: isActive, ...settings } = wanted;
  const current = project?.upstreams.find((upstream) => upstream["prefix"] === prefix);
  if (current === undefined) {
    const change = creation({
      kind: "upstream",
      name: prefix,
      operation: "svc_create_upstream",
      arguments: { prefix, ...settings },
    });
    const made = { ...change, project: owned.name, subject: owned.subject };
    return isActive === false ? [made, switchOff(made, "svc_update_upstream", "upstream_id")] : [made];
  }
  const { bearer_token: token } = settings;
  // Null takes the token away; the document's token is only for an upstream that has none.
  const changesToken = token !== undefined && (token === null) === (current["has_bearer_token"] === true);
  const compared = isActive === undefined ? settings : { ...settings, is_active: isActive };
  const fields = [...new Set([...differing(compared, current), ...(changesToken ? ["bearer_token"] : [])])];
  if (fields.length === 0) return [];
  const args = { upstream_id: current["id"], ...pick(compared, fields) };
  return [
    {
      ...update({ kind: "upstream", name: prefix, fields, operation: "svc_update_upstream", arguments: args }),
      project: owned.name,
    },
  ];
}

type WantedWebhook = NonNullable<DocumentProject["webhooks"]>[number];

/** Changes for all webhooks of a project, by name. */
export function planWebhooks(
  wanted: readonly WantedWebhook[],
  project: ProjectState | undefined,
  owned: OwningProject,
): PlannedChange[] {
  return pairByName(wanted, project?.webhooks ?? [], "webhook").flatMap((pair) => planWebhook(pair, owned));
}

function planWebhook({ wanted, existing: current }: Pair<WantedWebhook>, owned: OwningProject): PlannedChange[] {
  const { name, is_active: isActive, ...settings } = wanted;
  if (current === undefined) {
    const change = creation({
      kind: "webhook",
      name,
      operation: "svc_create_webhook",
      arguments: { name, ...settings },
    });
    const made = { ...change, project: owned.name, subject: owned.subject };
    return isActive === false ? [made, switchOff(made, "svc_set_webhook_active", "webhook_id")] : [made];
  }
  const changes: PlannedChange[] = [];
  const fields = differing(settings, current);
  const id = current["id"];
  if (fields.length > 0) {
    const args = { webhook_id: id, ...pick(settings, fields) };
    changes.push({
      ...update({ kind: "webhook", name, fields, operation: "svc_update_webhook", arguments: args }),
      project: owned.name,
    });
  }
  if (isActive !== undefined && isActive !== current["is_active"]) {
    const args = { webhook_id: id, is_active: isActive };
    changes.push({
      ...update({ kind: "webhook", name, fields: ["is_active"], operation: "svc_set_webhook_active", arguments: args }),
      project: owned.name,
    });
  }
  return changes;
}

import type { JsonObject } from "@gatehouse/json-rpc";
import { quote } from "../arguments.ts";
import { isSamePolicy } from "./compare.ts";
import { differing, pick } from "./differing.ts";
import type { DocumentProject } from "./document.ts";
import { type Pair, pairByName } from "./pair-by-name.ts";
import {
  creation,
  type ItemKind,
  type OwningProject,
  type PlannedChange,
  refusal,
  type Subject,
  update,
} from "./planned-change.ts";
import type { EndpointState, ProjectState } from "./state.ts";

interface MissingKind {
  readonly kind: ItemKind;
  readonly operation: string;
}

export const tokenKind: MissingKind = { kind: "token", operation: "svc_create_token" };
export const connectionKind: MissingKind = { kind: "oauth_connection", operation: "svc_create_oauth_connection" };

interface NamedItems {
  readonly wanted: readonly (JsonObject & { readonly name: string })[];
  readonly current: readonly JsonObject[];
}

/** Items that are made where there is none of their name, and otherwise must be as wanted already. */
export function planMissing(
  { wanted, current }: NamedItems,
  owned: OwningProject,
  { kind, operation }: MissingKind,
): PlannedChange[] {
  return pairByName(wanted, current).flatMap(({ wanted: item, existing }) => {
    if (existing === undefined) {
      return [
        {
          ...creation({ kind, name: item.name, operation, arguments: item }),
          project: owned.name,
          subject: owned.subject,
        },
      ];
    }
    const fields = differing(item, existing);
    if (fields.length === 0) return [];
    throw refusal(`The ${kind} ${quote(item.name)} exists with another ${fields.join(", ")}, which cannot be changed.`);
  });
}

type WantedEndpoint = NonNullable<DocumentProject["endpoints"]>[number];

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
  if (guardrails !== undefined && !hasPolicy(guardrails, current?.guardrails)) {
    changes.push(policyChange(slug, guardrails, { ...place, exists: current?.guardrails }));
  }
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
    return [{ ...change, project: owned.name, subject: owned.subject }];
  }
  const wantsToken = settings["bearer_token"] !== undefined && current["has_bearer_token"] === false;
  const compared = isActive === undefined ? settings : { ...settings, is_active: isActive };
  const fields = [...differing(compared, current), ...(wantsToken ? ["bearer_token"] : [])];
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

export function planWebhooks(
  wanted: readonly WantedWebhook[],
  project: ProjectState | undefined,
  owned: OwningProject,
): PlannedChange[] {
  return pairByName(wanted, project?.webhooks ?? []).flatMap((pair) => planWebhook(pair, owned));
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
    return [{ ...change, project: owned.name, subject: owned.subject }];
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

export function hasPolicy(wanted: JsonObject, current: EndpointState["guardrails"]): boolean {
  return current !== undefined && isSamePolicy(wanted, current);
}

interface PolicyPlace {
  readonly project: string;
  readonly subject: Subject;
  readonly exists: JsonObject | undefined;
}

export function policyChange(
  name: string,
  policy: JsonObject,
  { project, subject, exists }: PolicyPlace,
): PlannedChange {
  const change = creation({ kind: "guardrails", name, operation: "svc_set_guardrails", arguments: policy });
  return { ...change, action: exists === undefined ? "create" : "update", project, subject };
}

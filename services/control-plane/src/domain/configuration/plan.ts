import { parseUuid, quote } from "@gatehouse/admin";
import { invalidArgument } from "@gatehouse/errors";
import { differing, pick } from "./differing.ts";
import {
  type ConfigurationDocument,
  type DocumentProject,
  type DocumentProvider,
  refuseUnclear,
  repeated,
} from "./document.ts";
import { pairByName } from "./pair-by-name.ts";
import { planIssuer } from "./plan-issuer.ts";
import {
  connectionKind,
  planEndpoint,
  planCredential,
  planNamed,
  planUpstream,
  planWebhooks,
  tokenKind,
} from "./plan-members.ts";
import { planPolicy } from "./plan-policy.ts";
import { creation, listedMax, type OwningProject, type PlannedChange, update } from "./planned-change.ts";
import { refuseMalformedSecrets } from "./secret-settings.ts";
import type { ConfigurationState, ProjectState } from "./state.ts";

/**
 * Changes that establish the document's settings, in a working order: providers before the endpoints that use them, projects
 * before their contents. Nothing is deleted.
 * @throws GatewayError `invalid_argument` where the document requires an impossible change
 */
export function planChanges(document: ConfigurationDocument, current: ConfigurationState): PlannedChange[] {
  refuseUnclear(document);
  refuseMalformedSecrets(document);
  const found = (document.projects ?? []).map((project) => findProject(project, current));
  for (const [index, project] of found.entries()) {
    if (project === undefined || found.indexOf(project) === index) continue;
    throw repeated("document.projects", `the project ${String(project.settings["uuid"])}`);
  }
  return [
    ...(document.providers ?? []).flatMap((provider) => planProvider(provider, current)),
    ...(document.projects ?? []).flatMap((project, index) => planProject(project, index, current)),
  ];
}

/** The existing project of a document's project. @throws GatewayError where the name is ambiguous */
export function findProject(
  { uuid, name }: DocumentProject,
  { projects }: ConfigurationState,
): ProjectState | undefined {
  if (uuid !== undefined) {
    const asStored = parseUuid(uuid) ?? uuid;
    const found = projects.find(({ settings }) => settings["uuid"] === asStored);
    if (found !== undefined) return found;
    // Unknown uuid, as in a document of another installation: found by name, or created.
  }
  const named = projects.filter(({ settings }) => settings["name"] === name);
  if (named.length > 1) {
    const uuids = named.slice(0, listedMax).map(({ settings }) => String(settings["uuid"]));
    const problem = `More than one project is named ${quote(name)}: add its uuid to the document`;
    throw invalidArgument(`${problem} (${uuids.join(", ")}${named.length > listedMax ? ", …" : ""}).`);
  }
  return named[0];
}

function planProvider(wanted: DocumentProvider, { providers }: ConfigurationState): PlannedChange[] {
  const { name, enabled, credentials = [], ...settings } = wanted;
  const current = providers.find((provider) => provider.settings["name"] === name);
  const changes: PlannedChange[] = [];
  if (current === undefined) {
    changes.push(
      creation({ kind: "provider", name, operation: "svc_create_provider", arguments: { name, ...settings } }),
    );
  } else {
    const fields = differing(settings, current.settings);
    const args = { provider: name, ...pick(settings, fields) };
    if (fields.length > 0)
      changes.push(update({ kind: "provider", name, fields, operation: "svc_update_provider", arguments: args }));
  }
  const isEnabled = current?.settings["enabled"] ?? true;
  if (enabled !== undefined && enabled !== isEnabled) {
    changes.push(
      update({
        kind: "provider",
        name,
        fields: ["enabled"],
        operation: "svc_set_provider_enabled",
        arguments: { provider: name, enabled },
      }),
    );
  }
  for (const pair of pairByName(credentials, current?.credentials ?? [], "credential"))
    changes.push(...planCredential(pair, name));
  return changes;
}

function planProject(wanted: DocumentProject, index: number, state: ConfigurationState): PlannedChange[] {
  const current = findProject(wanted, state);
  const { uuid: _uuid, name, project_type: type, guardrails, tokens, oauth_connections: connections, ...rest } = wanted;
  const { issuers = [], endpoints = [], upstreams = [], webhooks = [], ...settings } = rest;
  const changes: PlannedChange[] = [];
  const inProject = { argument: "project", project: index } as const;
  if (current === undefined) {
    changes.push(
      creation({
        kind: "project",
        name,
        operation: "svc_create_project",
        arguments: { name, project_type: type, ...settings },
        position: index,
      }),
    );
  } else {
    if (type !== current.settings["project_type"]) {
      throw invalidArgument(
        `Project ${quote(name)} is of type ${quote(current.settings["project_type"])}, which cannot change.`,
      );
    }
    const fields = differing({ name, ...settings }, current.settings);
    const args = pick({ name, ...settings }, fields);
    if (fields.length > 0)
      changes.push({
        ...update({ kind: "project", name, fields, operation: "svc_update_project", arguments: args }),
        subject: inProject,
      });
  }
  const owned: OwningProject = { name, type, subject: inProject };
  changes.push(
    ...planPolicy(name, guardrails, {
      project: name,
      projectType: type,
      subject: inProject,
      current: current?.guardrails,
    }),
    ...planNamed({ wanted: connections ?? [], current: current?.oauthConnections ?? [] }, owned, connectionKind),
    ...endpoints.flatMap((endpoint) => planEndpoint(endpoint, current, owned)),
    ...upstreams.flatMap((upstream) => planUpstream(upstream, current, owned)),
    ...issuers.flatMap((issuer) => planIssuer(issuer, current, owned)),
    ...planWebhooks(webhooks, current, owned),
    ...planNamed({ wanted: tokens ?? [], current: current?.tokens ?? [] }, owned, tokenKind),
  );
  return changes;
}

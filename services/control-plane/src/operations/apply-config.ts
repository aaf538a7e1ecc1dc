import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { argument, flag, invalid, quote, withDefault } from "../domain/arguments.ts";
import { type ConfigurationDocument, documentSchema, parseDocument } from "../domain/configuration/document.ts";
import { findProject, planChanges } from "../domain/configuration/plan.ts";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";
import { administerGateway } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";
import type { OperationRunner } from "./operation-runner.ts";
import { readConfiguration } from "./read-configuration.ts";

const document = argument({ ...documentSchema, description: "The wanted configuration." }, (value, field) => {
  if (!isJsonObject(value)) throw invalid(field, "must be object");
  return parseDocument(value);
});

export const applyConfig = defineOperation({
  name: "svc_apply_config",
  description:
    "Makes everything in a document as it says, and tells what it changed. Items are found by name (endpoints by slug, " +
    "upstreams by prefix); what the document does not name is left as it is, and nothing is deleted. With dry_run only the " +
    "plan is shown. Running it again changes nothing more. Secrets that were made are in the reply, this once.",
  access: administerGateway,
  arguments: { document, dry_run: withDefault(flag("Only show what would be changed."), false) },
  async run(args, { operations }) {
    const state = await readConfiguration(operations);
    const changes = planChanges(args.document, state);
    for (const change of changes) await refuseUnknownSettings(change, operations);
    if (args.dry_run) return { dry_run: true, changes: changes.map(encodeChange), applied: 0, secrets: [] };
    const run = new PlanRun(operations, args.document, state);
    const secrets = await run.applyAll(changes);
    return { dry_run: false, changes: changes.map(encodeChange), applied: changes.length, secrets };
  },
});

async function refuseUnknownSettings(change: PlannedChange, runner: OperationRunner): Promise<void> {
  const { kind, name, operation, arguments: given } = change;
  const unknown = await runner.findUnknownArgument(operation, given);
  if (unknown === undefined) return;
  throw new GatewayError("invalid_argument", `${kind} ${name}: ${unknown} is not a setting; look for a misspelling.`);
}

/** A change without the values, some of which are secret. */
function encodeChange({ action, kind, name, project, fields }: PlannedChange): JsonObject {
  return { action, kind, name, project: project ?? null, fields: fields ?? [] };
}

/** Runs a plan, learning the uuids of what it makes on the way. */
class PlanRun {
  readonly #operations: OperationRunner;
  readonly #projectUuids = new Map<number, string>();
  readonly #endpointUuids = new Map<string, string>();
  readonly #connectionIds = new Map<string, unknown>();

  constructor(operations: OperationRunner, document: ConfigurationDocument, state: ConfigurationState) {
    this.#operations = operations;
    for (const [index, project] of (document.projects ?? []).entries()) {
      const current = findProject(project, state);
      if (current === undefined) continue;
      this.#projectUuids.set(index, String(current.settings["uuid"]));
      for (const { settings } of current.endpoints) {
        this.#endpointUuids.set(`${index}/${String(settings["slug"])}`, String(settings["uuid"]));
      }
      for (const { name, id } of current.oauthConnections) this.#connectionIds.set(`${index}/${String(name)}`, id);
    }
  }

  /** @throws the first refusal, saying how far it came: what was made stays, and running the document again goes on. */
  async applyAll(changes: readonly PlannedChange[]): Promise<JsonObject[]> {
    const secrets: JsonObject[] = [];
    for (const [done, change] of changes.entries()) {
      try {
        secrets.push(...secretsOf(change, await this.#apply(change)));
      } catch (err) {
        throw stoppedAt(change, err, `${done} of ${changes.length} changes were made.`);
      }
    }
    return secrets;
  }

  async #apply(change: PlannedChange): Promise<JsonObject> {
    const result = await this.#operations.run(change.operation, {
      ...change.arguments,
      ...this.#subjectOf(change),
      ...this.#authOf(change),
    });
    if (change.kind === "project" && change.position !== undefined) {
      this.#projectUuids.set(change.position, String(result["uuid"]));
    }
    if (change.kind === "oauth_connection" && change.subject !== undefined) {
      this.#connectionIds.set(`${change.subject.project}/${change.name}`, result["id"]);
    }
    if (change.kind === "endpoint" && change.subject !== undefined) {
      this.#endpointUuids.set(`${change.subject.project}/${change.name}`, String(result["uuid"]));
    }
    return result;
  }

  /** An API endpoint's auth names its connection; the operation takes the connection's id. */
  #authOf({ arguments: { auth }, subject, name }: PlannedChange): JsonObject {
    const connection = isJsonObject(auth) ? auth["connection"] : undefined;
    if (typeof connection !== "string" || subject === undefined) return {};
    const id = this.#connectionIds.get(`${subject.project}/${connection}`);
    if (id !== undefined) return { auth: { type: "oauth", connection_id: id } };
    const message = `endpoint ${name}: the project has no OAuth connection named ${quote(connection)}.`;
    throw new GatewayError("invalid_argument", message);
  }

  #subjectOf({ subject }: PlannedChange): JsonObject {
    if (subject === undefined) return {};
    if (subject.argument === "project") return { project: this.#projectUuids.get(subject.project) };
    return { endpoint: this.#endpointUuids.get(`${subject.project}/${subject.slug ?? ""}`) };
  }
}

/** What can be read this once: the plaintext of a token, the secret of a webhook. */
function secretsOf({ action, kind, name, project }: PlannedChange, result: JsonObject): JsonObject[] {
  const secret = kind === "token" ? result["token"] : kind === "webhook" ? result["secret"] : undefined;
  return action === "create" && secret !== undefined ? [{ kind, name, project: project ?? null, secret }] : [];
}

function stoppedAt({ kind, name }: PlannedChange, cause: unknown, progress: string): unknown {
  if (!isGatewayError(cause)) return cause;
  const place = `${kind} ${name}`;
  return new GatewayError(
    cause.code,
    `${place}: ${cause.message} (${progress} Mend it and apply the document again.)`,
    {
      cause,
    },
  );
}

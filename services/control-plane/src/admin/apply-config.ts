import {
  amount,
  anything,
  byName,
  defineOperation,
  flag,
  many,
  orNull,
  quote,
  record,
  result,
  withDefault,
  words,
  yesOrNo,
} from "@gatehouse/admin";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import { administerGateway } from "../domain/access.ts";
import { type ConfigurationDocument, documentSchema } from "../domain/configuration/document.ts";
import { findProject, planChanges } from "../domain/configuration/plan.ts";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import type { AdminContext } from "./admin-context.ts";
import { checkPlan, encodeMissing, missingValues, placeOf } from "./check-plan.ts";
import { readConfiguration } from "./read-configuration.ts";

const plannedChange = {
  action: words,
  kind: words,
  name: words,
  project: orNull(words),
  fields: many(words),
};

/** Plans or makes the changes that lead from what exists to a document. */
export const applyConfig = defineOperation({
  name: "svc_apply_config",
  description:
    "Makes everything in a document as it says, and tells what it changed. Items are found by name (endpoints by slug, " +
    "upstreams by prefix); what the document does not name is left as it is, and nothing is deleted. With dry_run only the " +
    "plan is shown, with the values that are missing. Where one is missing, or a setting is refused by itself, nothing is changed. A " +
    "change that is refused on the way (its URL is not allowed, another change came in between) is in the reply as failed: what was " +
    "made before it stays, and applying the document again goes on from there. Running it " +
    "again after all went well changes nothing more. Secrets that were made are in the reply, this once.",
  access: administerGateway,
  input: record({
    document: documentSchema,
    dry_run: withDefault(flag("Only show what would be changed."), false),
  }),
  output: result({
    dry_run: yesOrNo,
    changes: many(result(plannedChange)),
    missing: many(byName(anything)),
    applied: amount,
    secrets: many(result({ kind: words, name: words, project: orNull(words), secret: words })),
    failed: orNull(result({ ...plannedChange, message: words })),
  }),
  async run({ input }, { operations }: AdminContext) {
    const state = await readConfiguration(operations);
    const changes = planChanges(input.document, state);
    const missing = await checkPlan(changes, input.document, operations);
    const shown = { changes: changes.map(encodeChange), missing: missing.map(encodeMissing) };
    if (input.dry_run) return { dry_run: true, ...shown, applied: 0, secrets: [], failed: null };
    if (missing.length > 0) throw missingValues(missing);
    const run = new PlanRun(operations, input.document, state);
    return { dry_run: false, ...shown, ...(await run.applyAll(changes)) };
  },
});

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
  readonly #results = new Map<PlannedChange, JsonObject>();

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

  /**
   * Stops at the first refusal. Earlier changes stay, and the reply has their secrets, which can be read this once.
   * @throws a refusal of the very first change, since nothing was made then.
   */
  async applyAll(changes: readonly PlannedChange[]): Promise<JsonObject> {
    const secrets: JsonObject[] = [];
    for (const [applied, change] of changes.entries()) {
      try {
        secrets.push(...secretsOf(change, await this.#apply(change)));
      } catch (err) {
        if (!isGatewayError(err)) throw err;
        const message = `${change.kind} ${placeOf(change)}: ${describeRefusal(err)}`;
        if (applied === 0) throw new GatewayError(err.code, `${message} Nothing was changed.`, { cause: err });
        return { applied, secrets, failed: { ...encodeChange(change), message } };
      }
    }
    return { applied: changes.length, secrets, failed: null };
  }

  async #apply(change: PlannedChange): Promise<JsonObject> {
    const result = await this.#operations.run(change.operation, {
      ...change.arguments,
      ...this.#subjectOf(change),
      ...this.#authOf(change),
      ...this.#madeOf(change),
    });
    this.#results.set(change, result);
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

  #madeOf({ made }: PlannedChange): JsonObject {
    return made === undefined ? {} : { [made.argument]: this.#results.get(made.by)?.["id"] };
  }

  #subjectOf({ subject }: PlannedChange): JsonObject {
    if (subject === undefined) return {};
    if (subject.argument === "project") return { project: this.#projectUuids.get(subject.project) };
    return { endpoint: this.#endpointUuids.get(`${subject.project}/${subject.slug ?? ""}`) };
  }
}

/** Secrets that can be read this once: a token's plaintext, a webhook's secret. */
function secretsOf({ action, kind, name, project }: PlannedChange, result: JsonObject): JsonObject[] {
  const secret = kind === "token" ? result["token"] : kind === "webhook" ? result["secret"] : undefined;
  return action === "create" && secret !== undefined ? [{ kind, name, project: project ?? null, secret }] : [];
}

/** The message, with its detail where it has one. */
function describeRefusal({ message, details }: GatewayError): string {
  const detail = details["detail"];
  return typeof detail === "string" && !message.includes(detail) ? `${message} ${detail}` : message;
}

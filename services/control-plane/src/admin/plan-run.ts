import { GatewayError, invalidArgument, isGatewayError, toGatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { ConfigurationDocument } from "../domain/configuration/document.ts";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import type { AdminContext } from "./admin-context.ts";
import { placeOf } from "./check-plan.ts";
import { connectionIn, noConnection } from "./judge-plan.ts";
import { PlanPlaces } from "./plan-places.ts";
import { describeRefusal, isRefusal } from "./plan-refusal.ts";

/** Result of a change of a plan; `unknown` where its owner's answer is missing, so that it may have been made. */
export type Outcome = "planned" | "made" | "refused" | "unknown" | "not_made";

interface Stop {
  readonly change: PlannedChange;
  readonly outcome: "refused" | "unknown";
  readonly message: string;
}

interface Applied {
  /** Number of changes made, in the plan's order. */
  readonly count: number;
  /** Secrets that are shown only now. */
  readonly secrets: readonly JsonObject[];
  /** Warnings of the owners about the changes made. */
  readonly warnings: readonly JsonObject[];
  /** The change at which it stopped; undefined where all were made. */
  readonly stop: Stop | undefined;
}

type PlanRunContext = Pick<AdminContext, "log"> & { readonly operations: Pick<OperationRunner, "run"> };

/** Runs a plan, recording the uuids that it creates. */
export class PlanRun {
  readonly #operations: Pick<OperationRunner, "run">;
  readonly #log: AdminContext["log"];
  readonly #places: PlanPlaces;
  readonly #results = new Map<PlannedChange, JsonObject>();

  constructor({ operations, log }: PlanRunContext, document: ConfigurationDocument, state: ConfigurationState) {
    this.#operations = operations;
    this.#log = log;
    this.#places = new PlanPlaces(document, state);
  }

  /**
   * Stops at the first failure. Earlier changes stay, and their secrets are in the result.
   * @throws the refusal of the very first change, since nothing was made
   */
  async applyAll(changes: readonly PlannedChange[]): Promise<Applied> {
    const secrets: JsonObject[] = [];
    const warnings: JsonObject[] = [];
    for (const [count, change] of changes.entries()) {
      try {
        const result = await this.#apply(change);
        secrets.push(...secretsOf(change, result));
        warnings.push(...warningsOf(change, result));
      } catch (err) {
        const place = `${change.kind} ${placeOf(change)}`;
        if (isRefusal(err)) {
          const message = `${place}: ${describeRefusal(err)}`;
          if (count === 0) throw new GatewayError(err.code, `${message} Nothing was changed.`, { cause: err });
          return { count, secrets, warnings, stop: { change, outcome: "refused", message } };
        }
        // Not rethrown: the answer must contain the secrets of the changes made.
        if (!isGatewayError(err)) this.#log.error({ err, operation: change.operation }, "A change of a plan failed.");
        const reason = describeRefusal(toGatewayError(err));
        const message = `${place}: ${reason} Whether it was made is not known${lostSecret(change)}.`;
        return { count, secrets, warnings, stop: { change, outcome: "unknown", message } };
      }
    }
    return { count: changes.length, secrets, warnings, stop: undefined };
  }

  async #apply(change: PlannedChange): Promise<JsonObject> {
    const { subject } = change;
    const result = await this.#operations.run(change.operation, {
      ...change.arguments,
      ...(subject === undefined ? {} : { [subject.argument]: this.#places.uuidOf(subject) }),
      ...this.#authOf(change),
      ...this.#madeOf(change),
    });
    this.#results.set(change, result);
    this.#places.learn(change, result);
    return result;
  }

  /** Replaces the connection's name in an API endpoint's auth by its id. */
  #authOf({ arguments: { auth }, subject, name }: PlannedChange): JsonObject {
    const named = connectionIn(auth);
    if (named === undefined || subject === undefined) return {};
    const id = this.#places.connectionId(subject.project, named.connection);
    if (id !== undefined) return { auth: { ...named.rest, connection_id: id } };
    throw invalidArgument(`endpoint ${name}: ${noConnection(named.connection)}.`);
  }

  #madeOf({ made }: PlannedChange): JsonObject {
    return made === undefined ? {} : { [made.argument]: this.#results.get(made.by)?.["id"] };
  }
}

/** Secrets that are shown only once: a token's plaintext, a webhook's secret. */
function secretsOf({ action, kind, name, project }: PlannedChange, result: JsonObject): JsonObject[] {
  const secret = kind === "token" ? result["token"] : kind === "webhook" ? result["secret"] : undefined;
  return action === "create" && secret !== undefined ? [{ kind, name, project: project ?? null, secret }] : [];
}

function warningsOf({ kind, name, project }: PlannedChange, { warning }: JsonObject): JsonObject[] {
  return typeof warning === "string" ? [{ kind, name, project: project ?? null, warning }] : [];
}

function lostSecret({ action, kind }: PlannedChange): string {
  const hasSecret = action === "create" && (kind === "token" || kind === "webhook");
  return hasSecret ? "; if it is there, rotate it, since its secret was not shown" : "";
}

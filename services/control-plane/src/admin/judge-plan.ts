import { randomUUID } from "node:crypto";
import { quote } from "@gatehouse/admin";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { ConfigurationDocument } from "../domain/configuration/document.ts";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import { PlanPlaces } from "./plan-places.ts";
import { describeRefusal, isRefusal } from "./plan-refusal.ts";

/** Placeholder for an id that an earlier change will create. */
const madeId = 1;

/** Judges the changes of a plan in order, each as if the earlier ones were made. */
export class PlanJudge {
  readonly #document: ConfigurationDocument;
  readonly #runner: OperationRunner;
  readonly #places: PlanPlaces;
  /** Placeholder for uuids that earlier changes will create. */
  readonly #madeUuid = randomUUID();
  /** Providers, and connections by their project's position, that earlier changes will create. */
  readonly #planned = new Set<string>();
  /** Number of items per kind that earlier changes will create in a project. */
  readonly #siblings = new Map<string, number>();

  constructor(document: ConfigurationDocument, state: ConfigurationState, runner: OperationRunner) {
    this.#document = document;
    this.#runner = runner;
    this.#places = new PlanPlaces(document, state);
  }

  /** Assumes that a change was made. */
  add({ action, kind, name, subject }: PlannedChange): void {
    if (action !== "create") return;
    if (kind === "provider") this.#planned.add(`provider/${name}`);
    if (subject === undefined) return;
    if (kind === "oauth_connection") this.#planned.add(connectionKey(subject.project, name));
    const siblings = siblingsKey(subject.project, kind);
    this.#siblings.set(siblings, (this.#siblings.get(siblings) ?? 0) + 1);
  }

  /**
   * Message with which a change will be refused; undefined where none is predictable.
   * @throws GatewayError where an owner cannot answer
   */
  async findRefusal(change: PlannedChange): Promise<string | undefined> {
    const { operation, subject, made, arguments: given } = change;
    const projectType = this.#typeOf(change);
    try {
      if (made !== undefined) {
        await this.#runner.check(operation, { ...given, [made.argument]: madeId }, projectType);
        return undefined;
      }
      const auth = this.#authOf(change);
      if (auth.problem !== undefined) return auth.problem;
      const args = { ...given, ...auth.argument, ...this.#subjectOf(change) };
      const references = new Set([...this.#providersIn(given), ...auth.references]);
      const siblings = subject === undefined ? 0 : (this.#siblings.get(siblingsKey(subject.project, change.kind)) ?? 0);
      const prospect = { projectType, project: this.#projectOf(change), planned: { references, siblings } };
      await this.#runner.judge(operation, args, prospect);
      return undefined;
    } catch (err) {
      if (!isRefusal(err)) throw err;
      return this.#withoutMadeUuid(describeRefusal(err).replace(/\.$/, ""));
    }
  }

  /** Removes the placeholder uuid, also in capitals as in names of environment variables. */
  #withoutMadeUuid(message: string): string {
    const uuid = this.#madeUuid;
    return message.replaceAll(uuid, "<uuid>").replaceAll(uuid.toUpperCase().replaceAll("-", "_"), "<UUID>");
  }

  #subjectOf({ subject }: PlannedChange): JsonObject {
    return subject === undefined ? {} : { [subject.argument]: this.#places.uuidOf(subject) ?? this.#madeUuid };
  }

  #projectOf({ subject, project = "" }: PlannedChange) {
    if (subject === undefined) return null;
    return this.#places.project(subject.project) ?? { id: madeId, uuid: this.#madeUuid, name: project };
  }

  /** Type of the change's project; empty without a project. */
  #typeOf({ subject }: PlannedChange): string {
    return subject === undefined ? "" : (this.#document.projects?.[subject.project]?.project_type ?? "");
  }

  #providersIn({ provider, targets }: JsonObject): readonly string[] {
    const named = [
      provider,
      ...(Array.isArray(targets) ? targets.filter(isJsonObject).map((each) => each["provider"]) : []),
    ];
    return named.map((name) => `provider/${String(name)}`).filter((name) => this.#planned.has(name));
  }

  /** The operation's `auth` for an auth with a connection's name. */
  #authOf({ arguments: given, subject }: PlannedChange) {
    const named = connectionIn(given["auth"]);
    if (named === undefined || subject === undefined) return { argument: {}, references: [] };
    const { connection, rest } = named;
    const id = this.#places.connectionId(subject.project, connection);
    if (id !== undefined) return { argument: { auth: { ...rest, connection_id: id } }, references: [] };
    if (!this.#planned.has(connectionKey(subject.project, connection))) {
      return { argument: {}, references: [], problem: noConnection(connection) };
    }
    return {
      argument: { auth: { ...rest, connection_id: madeId } },
      references: [`oauth_connection/${madeId}`],
    };
  }
}

/** The connection's name in an API endpoint's auth, and the rest of the auth; undefined without a connection. */
export function connectionIn(auth: unknown): { readonly connection: string; readonly rest: JsonObject } | undefined {
  if (!isJsonObject(auth)) return undefined;
  const { connection, ...rest } = auth;
  return typeof connection === "string" ? { connection, rest } : undefined;
}

/** The problem of an auth whose connection neither exists nor is in the document. */
export function noConnection(connection: string): string {
  return `the project has no OAuth connection named ${quote(connection)}`;
}

function connectionKey(project: number, name: string): string {
  return `oauth_connection/${project}/${name}`;
}

function siblingsKey(project: number, kind: string): string {
  return `${project}/${kind}`;
}

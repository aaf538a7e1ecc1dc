import { randomUUID } from "node:crypto";
import { quote } from "@gatehouse/admin";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { ConfigurationDocument } from "../domain/configuration/document.ts";
import type { PlannedChange } from "../domain/configuration/planned-change.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import { PlanPlaces } from "./plan-places.ts";
import { describeRefusal, isRefusal } from "./plan-refusal.ts";

/** An id that stands for that of what an earlier change will make. */
const madeId = 1;

/** Judges the changes of a plan in their order, each as it will be once those before it are made. */
export class PlanJudge {
  readonly #document: ConfigurationDocument;
  readonly #runner: OperationRunner;
  readonly #places: PlanPlaces;
  /** Stands for the uuids of what earlier changes will make: nothing has it. */
  readonly #madeUuid = randomUUID();
  /** Providers, and connections by their project's position, that earlier changes will make. */
  readonly #planned = new Set<string>();
  /** The number of items of a kind that earlier changes will make in a project. */
  readonly #siblings = new Map<string, number>();

  constructor(document: ConfigurationDocument, state: ConfigurationState, runner: OperationRunner) {
    this.#document = document;
    this.#runner = runner;
    this.#places = new PlanPlaces(document, state);
  }

  /** Counts a change as made. */
  add({ action, kind, name, subject }: PlannedChange): void {
    if (action !== "create") return;
    if (kind === "provider") this.#planned.add(`provider/${name}`);
    if (subject === undefined) return;
    if (kind === "oauth_connection") this.#planned.add(connectionKey(subject.project, name));
    const siblings = siblingsKey(subject.project, kind);
    this.#siblings.set(siblings, (this.#siblings.get(siblings) ?? 0) + 1);
  }

  /**
   * The problem that a change will be refused with; undefined where none can be seen before it is made.
   * @throws GatewayError where an owner cannot say
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

  /** A uuid that stands for one to come says nothing; names of environment variables have it in capitals. */
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

  /** The type of the project that a change is about; empty where it is about none. */
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

  /** The argument that an auth with a connection's name becomes. */
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

/** The connection that an API endpoint's auth names, and the auth without it; undefined where it names none. */
export function connectionIn(auth: unknown): { readonly connection: string; readonly rest: JsonObject } | undefined {
  if (!isJsonObject(auth)) return undefined;
  const { connection, ...rest } = auth;
  return typeof connection === "string" ? { connection, rest } : undefined;
}

/** The problem of an auth whose connection is neither there nor in the document. */
export function noConnection(connection: string): string {
  return `the project has no OAuth connection named ${quote(connection)}`;
}

function connectionKey(project: number, name: string): string {
  return `oauth_connection/${project}/${name}`;
}

function siblingsKey(project: number, kind: string): string {
  return `${project}/${kind}`;
}

import type { ProjectReference } from "@gatehouse/audit";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { ConfigurationDocument } from "../domain/configuration/document.ts";
import { findProject } from "../domain/configuration/plan.ts";
import type { PlannedChange, Subject } from "../domain/configuration/planned-change.ts";
import type { ConfigurationState } from "../domain/configuration/state.ts";

/** Uuids and ids of a document's items: existing ones, and those that its changes create. */
export class PlanPlaces {
  readonly #projects = new Map<number, ProjectReference>();
  readonly #endpointUuids = new Map<string, string>();
  readonly #connectionIds = new Map<string, unknown>();

  constructor(document: ConfigurationDocument, state: ConfigurationState) {
    for (const [index, project] of (document.projects ?? []).entries()) {
      const current = findProject(project, state);
      if (current === undefined) continue;
      this.#projects.set(index, toReference(current.settings));
      for (const { settings } of current.endpoints) {
        this.#endpointUuids.set(keyOf(index, settings["slug"]), String(settings["uuid"]));
      }
      for (const { name, id } of current.oauthConnections) this.#connectionIds.set(keyOf(index, name), id);
    }
  }

  /** The project at a position of the document; undefined before it is created. */
  project(index: number): ProjectReference | undefined {
    return this.#projects.get(index);
  }

  /** The uuid of a subject; undefined before it is created. */
  uuidOf({ argument, project, slug }: Subject): string | undefined {
    return argument === "project" ? this.#projects.get(project)?.uuid : this.#endpointUuids.get(keyOf(project, slug));
  }

  /** The id of a project's OAuth connection; undefined before it is created. */
  connectionId(project: number, name: string): unknown {
    return this.#connectionIds.get(keyOf(project, name));
  }

  /** Records the ids that a change has created. */
  learn({ kind, name, position, subject }: PlannedChange, result: JsonObject): void {
    if (kind === "project" && position !== undefined) this.#projects.set(position, toReference(result));
    if (subject === undefined) return;
    if (kind === "oauth_connection") this.#connectionIds.set(keyOf(subject.project, name), result["id"]);
    if (kind === "endpoint") this.#endpointUuids.set(keyOf(subject.project, name), String(result["uuid"]));
  }
}

function toReference({ id, uuid, name }: JsonObject): ProjectReference {
  return { id: Number(id), uuid: String(uuid), name: String(name) };
}

function keyOf(project: number, name: unknown): string {
  return `${project}/${String(name)}`;
}

import type { PageRequest, PageResult } from "@gatehouse/database";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import type { ProjectType } from "@gatehouse/principal";
import type { Metadata } from "nice-grpc-common";
import { quote } from "../domain/arguments.ts";
import { parseUuid } from "../domain/uuid.ts";

/** The project that an endpoint is made in. */
export interface EndpointProject {
  readonly uuid: string;
  readonly projectType: ProjectType;
}

/** Tells the owner who makes a change. */
export interface ChangeOptions {
  readonly metadata: Metadata;
}

/**
 * A service that keeps endpoints. It checks its own arguments, so `given` is a call's arguments as they came. Endpoints go
 * in and out in the form of the contract.
 */
export interface EndpointOwner {
  create(project: EndpointProject, given: JsonObject, options: ChangeOptions): Promise<JsonObject>;
  list(projectUuid: string, page: PageRequest): Promise<PageResult<JsonObject>>;
  get(uuid: string): Promise<JsonObject>;
  update(uuid: string, given: JsonObject, options: ChangeOptions): Promise<JsonObject>;
  setActive(uuid: string, isActive: boolean, options: ChangeOptions): Promise<JsonObject>;
  delete(uuid: string, options: ChangeOptions): Promise<JsonObject>;
  /** Removes all that it holds for a project; repeating it is harmless. */
  deleteProject(projectUuid: string): Promise<void>;
}

export interface EndpointOwners {
  /** @throws GatewayError `invalid_argument` for a type whose projects have no endpoints. */
  ofType(projectType: ProjectType): EndpointOwner;
  /**
   * Asks each owner in turn for an endpoint known by its uuid alone; the first that has it answers.
   * @throws GatewayError `Endpoint not found: <uuid>` where none has it, or where the text is no uuid.
   */
  ofEndpoint<T>(uuid: string, ask: (owner: EndpointOwner, uuid: string) => Promise<T>): Promise<T>;
  deleteProject(projectUuid: string): Promise<void>;
}

/** Which service keeps the endpoints of which type of project; undefined where projects of a type have none. */
export type OwnerByProjectType = Readonly<Record<ProjectType, EndpointOwner | undefined>>;

export function createEndpointOwners(byType: OwnerByProjectType): EndpointOwners {
  const owners = [...new Set(Object.values(byType).filter((owner) => owner !== undefined))];
  return {
    ofType(projectType) {
      const owner = byType[projectType];
      if (owner !== undefined) return owner;
      throw new GatewayError(
        "invalid_argument",
        `Projects of type ${projectType} cannot have endpoints in this version.`,
      );
    },
    async ofEndpoint(text, ask) {
      const uuid = parseUuid(text);
      for (const owner of uuid === undefined ? [] : owners) {
        const answer = await unlessNotFound(async () => await ask(owner, uuid ?? ""));
        if (answer !== notFound) return answer;
      }
      throw new GatewayError("not_found", `Endpoint not found: ${quote(text)}`);
    },
    async deleteProject(projectUuid) {
      await Promise.all(owners.map(async (owner) => await owner.deleteProject(projectUuid)));
    },
  };
}

const notFound = Symbol("not found");

async function unlessNotFound<T>(ask: () => Promise<T>): Promise<T | typeof notFound> {
  try {
    return await ask();
  } catch (err) {
    if (isGatewayError(err) && err.code === "not_found") return notFound;
    throw err;
  }
}

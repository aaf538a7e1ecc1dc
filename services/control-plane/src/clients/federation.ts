import type { Access } from "@gatehouse/admin";
import { internalError, isGatewayError, serviceUnavailable } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { AdminServiceDefinition, Operation as OperationMessage } from "@gatehouse/proto/admin";
import type { RpcClient } from "@gatehouse/rpc";
import type { Logger } from "@gatehouse/telemetry";
import { parseAccess } from "../domain/access.ts";

/** A service that owns resources, in this process or another. */
export interface Owner {
  readonly name: string;
  readonly client: RpcClient<typeof AdminServiceDefinition>;
}

/** An operation of an owner, as last described by it. */
export interface OwnedOperation {
  readonly owner: Owner;
  readonly name: string;
  readonly description: string;
  readonly access: Access;
  readonly inputSchema: JsonObject;
  /** Its project types; empty: all. */
  readonly projectTypes: readonly string[];
  /** Milliseconds that a call may take; 0: the client's default. */
  readonly timeoutMs: number;
  /** The argument with the resource of a call; empty: none. */
  readonly subject: string;
  /** The operation whose owners know the subject's project; empty: this operation's owner does. */
  readonly subjectOperation: string;
  /** Whether it also answers for deleted projects. */
  readonly coversDeletedProjects: boolean;
  /** Whether a call may carry an idempotency key; owners of an earlier version do not support it. */
  readonly takesIdempotencyKey: boolean;
}

/**
 * Time for which an owner's list of operations is cached, milliseconds; a new version may offer more. After a failed question the
 * last list is kept as long, so that an owner that hangs delays few calls of the others.
 */
const listFreshMs = 10_000;
/** Longest wait for one owner's list, milliseconds. */
const listTimeoutMs = 2_000;

interface Known {
  readonly operations: readonly OwnedOperation[];
  /** Time of the last question, whether it was answered or not. */
  readonly askedAtMs: number;
}

/** Operations of all owners. An unreachable owner keeps its last operations in the list; calls of them fail until it is back. */
export class Federation {
  readonly #owners: readonly Owner[];
  readonly #log: Logger;
  /** Monotonic milliseconds. */
  readonly #now: () => number;
  readonly #known = new Map<Owner, Known>();

  constructor(owners: readonly Owner[], log: Logger, now: () => number) {
    this.#owners = owners;
    this.#log = log;
    this.#now = now;
  }

  /** In the owners' order. */
  async list(): Promise<readonly OwnedOperation[]> {
    return (await Promise.all(this.#owners.map(async (owner) => await this.#operationsOf(owner)))).flat();
  }

  /**
   * The operations of one name: one, or one per owner for different project types.
   * @throws GatewayError `unavailable` where there is none and an owner has not answered yet
   */
  async find(name: string): Promise<readonly OwnedOperation[]> {
    const found = (await this.list()).filter((operation) => operation.name === name);
    if (found.length > 0 || this.#owners.every((owner) => this.#known.has(owner))) return found;
    throw serviceUnavailable();
  }

  /** Deletes other owners' data of a deleted endpoint. Data that remains has no effect, and is deleted with the project. */
  async deleteEndpoint(endpointUuid: string): Promise<void> {
    await this.#askAnswering(async ({ client }) => await client.deleteEndpoint({ endpointUuid }));
  }

  /**
   * The secrets of all owners for a backup, encrypted to a recipient as armored age files.
   * @throws GatewayError `invalid_argument` for an invalid recipient, `unavailable` where an owner does not answer
   */
  async exportSecrets(recipient: string): Promise<readonly string[]> {
    const parts: string[] = [];
    for (const { client } of this.#owners) {
      let cursor = "";
      do {
        const page = await client.exportSecrets({ recipient, cursor });
        if (page.sealed !== "") parts.push(page.sealed);
        cursor = page.nextCursor;
      } while (cursor !== "");
    }
    return parts;
  }

  /** Deletes all owners' data of a project. Idempotent, so that it can be repeated after a failure. */
  async deleteProject(projectUuid: string): Promise<void> {
    for (const { client } of this.#owners) await client.deleteProject({ projectUuid });
  }

  /**
   * Deletes what a call that had found the project created between {@link deleteProject} and the deletion of the project itself:
   * no administrator could reach it any more, and an endpoint among it would keep its providers from being deleted.
   */
  async deleteProjectAgain(projectUuid: string): Promise<void> {
    await this.#askAnswering(async ({ client }) => await client.deleteProject({ projectUuid }));
  }

  /** Asks one owner after the other, without those that do not answer. */
  async #askAnswering(ask: (owner: Owner) => Promise<unknown>): Promise<void> {
    for (const owner of this.#owners) {
      try {
        await ask(owner);
      } catch (err) {
        if (!isGatewayError(err) || (err.code !== "unavailable" && err.code !== "deadline_exceeded")) throw err;
        this.#log.debug({ err, owner: owner.name }, "An owner of operations does not answer.");
      }
    }
  }

  async #operationsOf(owner: Owner): Promise<readonly OwnedOperation[]> {
    const known = this.#known.get(owner);
    if (known !== undefined && this.#now() - known.askedAtMs < listFreshMs) return known.operations;
    try {
      const { operations } = await owner.client.listOperations({}, { deadline: listTimeoutMs });
      return this.#keep(
        owner,
        operations.map((message) => fromMessage(owner, message)),
      );
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      this.#log.debug({ err, owner: owner.name }, "An owner of operations does not answer.");
      return known === undefined ? [] : this.#keep(owner, known.operations);
    }
  }

  #keep(owner: Owner, operations: readonly OwnedOperation[]): readonly OwnedOperation[] {
    this.#known.set(owner, { operations, askedAtMs: this.#now() });
    return operations;
  }
}

function fromMessage(owner: Owner, message: OperationMessage): OwnedOperation {
  const { name, description, inputSchemaJson, projectTypes, ...settings } = message;
  const { timeoutMs, subject, subjectOperation, coversDeletedProjects, takesIdempotencyKey } = settings;
  const access = parseAccess(message.right, message.scope);
  const inputSchema = parseObject(inputSchemaJson);
  return {
    owner,
    name,
    description,
    access,
    inputSchema,
    projectTypes,
    timeoutMs,
    subject,
    subjectOperation,
    coversDeletedProjects,
    takesIdempotencyKey,
  };
}

/** @throws GatewayError `internal` for anything other than a JSON object */
export function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (isJsonObject(value)) return value;
  throw internalError(new Error("An owner's answer is not a JSON object."));
}

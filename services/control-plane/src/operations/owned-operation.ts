import { parseUuid } from "@gatehouse/admin";
import type { ProjectReference } from "@gatehouse/audit";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { Plan } from "@gatehouse/proto/admin";
import { isUnimplemented } from "@gatehouse/rpc";
import type { AdminContext } from "../admin/admin-context.ts";
import { type OwnedOperation, parseObject } from "../clients/federation.ts";
import { highestAccess } from "../domain/access.ts";
import type { Project } from "../domain/project.ts";
import { mergeSchemas } from "./merge-schemas.ts";
import type { Operation } from "./operation.ts";

/** Operations of one name, one per owner. */
type Owned = readonly [OwnedOperation, ...OwnedOperation[]];

/**
 * Wraps other services' operations of one name: one, or one per project type. Looks up the call's project, which this service
 * stores, and passes it in the call's initiator; owners check everything else.
 */
function toOperation(owned: Owned): Operation {
  const [first] = owned;
  return {
    name: first.name,
    description: [...new Set(owned.map(({ description }) => description))].join(" "),
    access: highestAccess(owned.map(({ access }) => access)),
    inputSchema: owned.length === 1 ? first.inputSchema : mergeSchemas(owned),
    keepsToCaller: false,
    needsDatabase: true,
    takesIdempotencyKey: owned.every(({ takesIdempotencyKey }) => takesIdempotencyKey),
    subjects: [...new Set(owned.flatMap(({ subject }) => (subject === "" ? [] : [subject])))],
    async findProject(subject, value, context) {
      const knowing = owned.filter((each) => each.subject === subject);
      return (await locate(knowing, { [subject]: value }, context)).project.uuid;
    },
    async check(given, projectType, { caller }) {
      await checkArguments(ownerFor(owned, projectType), { given, projectType, caller });
    },
    async judge(given, { projectType, project, planned: { references, siblings } }, { caller }) {
      const plan = { references: [...references], siblings };
      await checkArguments(ownerFor(owned, projectType), { given, projectType, project, plan, caller });
    },
    checkUnplaced: async (given, context) => await refuseBadArguments(owned, given, context),
    async call(given, context, key) {
      const { owner, project } = await chooseOwner(owned, given, context).catch(async (err: unknown) => {
        // Report an unknown project alone: without its type, other arguments cannot be validated.
        const isResource = (given["project"] ?? null) === null;
        if (isResource && isGatewayError(err) && err.code === "not_found") {
          await refuseBadArguments(owned, given, context);
        }
        throw err;
      });
      // The project's uuid in its stored form.
      const named = project !== undefined && "project" in given ? { ...given, project: project.uuid } : given;
      return await callOwner(owner, named, { context, project, key });
    },
  };
}

/** The owner for a project type; where there is none, the first, which refuses it. */
function ownerFor(owned: Owned, projectType: string): OwnedOperation {
  return owned.find((each) => each.projectTypes.includes(projectType)) ?? owned[0];
}

interface Question {
  readonly given: JsonObject;
  readonly projectType: string;
  readonly project?: ProjectReference | null;
  /** Absent for a validation of the arguments alone. */
  readonly plan?: Plan;
  readonly caller: AdminContext["caller"];
}

async function checkArguments(
  { owner, name, timeoutMs }: OwnedOperation,
  { given, projectType, project = null, plan, caller }: Question,
): Promise<void> {
  const request = { name, argumentsJson: JSON.stringify(given), projectType, plan };
  try {
    await owner.client.checkArguments(request, callOptions(caller, project, timeoutMs));
  } catch (err) {
    // An owner of an earlier version cannot check in advance.
    if (!isUnimplemented(err)) throw err;
  }
}

/**
 * Validates the arguments of a call about a missing resource before its references, as for an existing one.
 * @throws GatewayError the first owner's `invalid_argument`, if no owner accepts them for any project type, or for the type of
 * their project. Skips the validation where that project is missing or another's, since its type must stay unknown.
 */
async function refuseBadArguments(owned: Owned, given: JsonObject, context: AdminContext): Promise<void> {
  const { caller } = context;
  const type = await typeOfNamedProject(given, context);
  if (type === null) return;
  if (type !== undefined) return await checkArguments(ownerFor(owned, type), { given, projectType: type, caller });
  let refusal: unknown;
  for (const each of owned) {
    for (const projectType of each.projectTypes.length === 0 ? [""] : each.projectTypes) {
      try {
        await checkArguments(each, { given, projectType, caller });
        return;
      } catch (err) {
        if (!isGatewayError(err) || err.code !== "invalid_argument") return;
        refusal ??= err;
      }
    }
  }
  throw refusal;
}

/** Undefined: no project is named; null: missing or another's, which get the same answer. */
async function typeOfNamedProject(
  { project }: JsonObject,
  { caller, projects }: AdminContext,
): Promise<string | null | undefined> {
  if (typeof project !== "string") return undefined;
  const own = caller.administrator.projects;
  const uuid = parseUuid(project);
  if (uuid === undefined || own?.includes(uuid) === false) return null;
  try {
    return (await projects.get(uuid)).projectType;
  } catch (err) {
    if (isGatewayError(err) && err.code === "not_found") return null;
    throw err;
  }
}

interface Chosen {
  readonly owner: OwnedOperation;
  readonly project: Project | undefined;
}

/**
 * Chooses the owner by the named project, or else by the project of the named resource. For other project types any owner refuses
 * the call, and so it does for arguments that name neither.
 */
async function chooseOwner(owned: Owned, given: JsonObject, context: AdminContext): Promise<Chosen> {
  const [first] = owned;
  const { project: uuid } = given;
  if (typeof uuid === "string") {
    const project = await findProject(uuid, first, context);
    return { owner: owned.find((each) => project !== undefined && isFor(each, project)) ?? first, project };
  }
  const located = owned.filter(({ subject }) => subject !== "" && (given[subject] ?? null) !== null);
  return located.length === 0 ? { owner: first, project: undefined } : await locate(located, given, context);
}

/**
 * Undefined where the project is deleted or never existed and the owner's records outlive projects; the owner distinguishes
 * these.
 * @throws GatewayError `not_found` otherwise
 */
async function findProject(
  uuid: string,
  { coversDeletedProjects }: OwnedOperation,
  { projects }: AdminContext,
): Promise<Project | undefined> {
  try {
    return await projects.get(uuid);
  } catch (err) {
    if (coversDeletedProjects && isGatewayError(err) && err.code === "not_found") return undefined;
    throw err;
  }
}

/** @throws GatewayError `not_found` where no owner has the resource */
async function locate(
  owned: readonly OwnedOperation[],
  given: JsonObject,
  context: AdminContext,
): Promise<Chosen & { readonly project: Project }> {
  let refusal: unknown;
  for (const operation of owned) {
    const { subject, subjectOperation } = operation;
    const knowing = subjectOperation === "" ? [operation] : await context.federation.find(subjectOperation);
    for (const { name, owner } of knowing) {
      try {
        const request = { name, subjectJson: JSON.stringify(given[subject]) };
        const { projectUuid } = await owner.client.findProject(request);
        return { owner: operation, project: await context.projects.get(projectUuid) };
      } catch (err) {
        if (!isGatewayError(err) || err.code !== "not_found") throw err;
        refusal = err;
      }
    }
  }
  throw refusal ?? new GatewayError("not_found", "Not found.");
}

interface OwnersCall {
  readonly context: AdminContext;
  readonly project: Project | undefined;
  readonly key: Buffer | undefined;
}

async function callOwner(
  { owner, name, timeoutMs }: OwnedOperation,
  given: JsonObject,
  { context, project, key }: OwnersCall,
): Promise<JsonObject> {
  const options = callOptions(context.caller, project ?? null, timeoutMs);
  const request = {
    name,
    argumentsJson: JSON.stringify(given),
    projectType: project?.projectType ?? "",
    isForNamedProjects: context.caller.administrator.projects !== null,
    ...(key && { callKey: key }),
  };
  return parseObject((await owner.client.callOperation(request, options)).resultJson);
}

/** @param timeoutMs 0: the client's default */
function callOptions(caller: AdminContext["caller"], project: ProjectReference | null, timeoutMs: number) {
  return { ...caller.optionsFor(project), ...(timeoutMs === 0 ? {} : { deadline: timeoutMs }) };
}

function isFor({ projectTypes }: OwnedOperation, { projectType }: Project): boolean {
  return projectTypes.length === 0 || projectTypes.includes(projectType);
}

/** Groups operations by name, in the order of their first owners. */
export function groupByName(owned: readonly OwnedOperation[]): readonly Operation[] {
  const groups = new Map<string, [OwnedOperation, ...OwnedOperation[]]>();
  for (const each of owned) {
    const group = groups.get(each.name);
    if (group === undefined) groups.set(each.name, [each]);
    else group.push(each);
  }
  return [...groups.values()].map(toOperation);
}

/** Names of an input schema's properties. */
export function argumentNames({ inputSchema }: Operation): readonly string[] {
  const { properties } = inputSchema;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

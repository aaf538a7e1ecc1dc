import { parseUuid, quote, rowIdMax } from "@gatehouse/admin";
import { nilUuid } from "@gatehouse/database";
import { GatewayError, invalidArgument, isGatewayError } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json-rpc";
import type { AdminContext } from "../admin/admin-context.ts";
import { type Administrator, isAllowed, notAllowed } from "../domain/access.ts";
import { projectNotFound } from "../domain/project.ts";
import type { Operation } from "./operation.ts";

/** @throws GatewayError `not_allowed` where the administrator's role lacks the right that the operation requires */
export function requireRight({ name, access }: Operation, administrator: Administrator): void {
  if (!isAllowed(administrator, access)) throw notAllowed(name, access);
}

/**
 * Authorises a call: first by the right that the operation requires, before its arguments are read, then by each project that the
 * arguments name. Another's project or resource gets the answer of a missing one, after the checks of the other arguments. An
 * administrator of named projects may call without a project only operations that limit their result to the caller.
 * @returns the arguments to call with
 * @throws GatewayError `not_allowed`, `not_found`, `invalid_argument`
 */
export async function authorize(operation: Operation, given: JsonObject, context: AdminContext): Promise<JsonObject> {
  const { administrator } = context.caller;
  requireRight(operation, administrator);
  const { projects } = administrator;
  if (projects === null || operation.keepsToCaller) return given;
  try {
    return await place(operation, given, projects, context);
  } catch (err) {
    if (isGatewayError(err) && (err.code === "not_found" || err.code === "invalid_argument")) {
      await operation.checkUnplaced(given, context);
    }
    throw err;
  }
}

/** The arguments, completed with the caller's only project. @throws GatewayError `not_found`, `invalid_argument` */
async function place(
  operation: Operation,
  given: JsonObject,
  projects: readonly string[],
  context: AdminContext,
): Promise<JsonObject> {
  const isNamed = [
    requireProject(given["project"], projects),
    ...(await Promise.all(
      operation.subjects.map(async (subject) => await requireSubject({ operation, subject, projects }, given, context)),
    )),
  ];
  return isNamed.includes(true) ? given : withoutProject(operation, given, projects);
}

/** Whether a project is named. @throws GatewayError `not_found` for another's project, `invalid_argument` for a non-string */
function requireProject(value: unknown, projects: readonly string[]): boolean {
  if (value === undefined || value === null) return false;
  // An invalid value must not count as absent: an absent project means the caller's.
  if (typeof value !== "string") throw invalidArgument("project must be string");
  const uuid = parseUuid(value);
  if (uuid === undefined || !projects.includes(uuid)) throw projectNotFound(value);
  return true;
}

interface SubjectQuestion {
  readonly operation: Operation;
  /** Name of the argument. */
  readonly subject: string;
  readonly projects: readonly string[];
}

/** Whether a resource is named. @throws GatewayError `not_found` for one outside the caller's projects */
async function requireSubject(question: SubjectQuestion, given: JsonObject, context: AdminContext): Promise<boolean> {
  const { operation, subject, projects } = question;
  const value = given[subject] ?? null;
  if (value === null) return false;
  const uuid = await operation.findProject(subject, value, context);
  if (!projects.includes(uuid)) throw await asUnknown(question, value, context);
  return true;
}

/** Values that no resource has. */
const absent = { number: rowIdMax, string: nilUuid } as const;

/** Gets the owner's refusal of a missing resource, for one that must be hidden from the caller. */
async function asUnknown({ operation, subject }: SubjectQuestion, value: unknown, context: AdminContext) {
  const unknown = typeof value === "number" ? absent.number : absent.string;
  try {
    await operation.findProject(subject, unknown, context);
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "not_found") throw err;
    return new GatewayError(
      "not_found",
      err.message.replace(String(unknown), () => quote(value)),
    );
  }
  return new GatewayError("not_found", "Not found.");
}

/**
 * Defaults the project of a read by an administrator of one project. Operations that require a project or resource demand it
 * themselves.
 */
function withoutProject(operation: Operation, given: JsonObject, projects: readonly string[]): JsonObject {
  const { inputSchema, subjects, access } = operation;
  const required = Array.isArray(inputSchema["required"]) ? inputSchema["required"] : [];
  if (["project", ...subjects].some((argument) => required.includes(argument))) return given;
  const [only, ...others] = projects;
  const takesProject = isJsonObject(inputSchema["properties"]) && Object.hasOwn(inputSchema["properties"], "project");
  if (takesProject && access.right === "read" && only !== undefined && others.length === 0) {
    return { ...given, project: only };
  }
  throw invalidArgument("Missing required argument: project (your role is for named projects)");
}

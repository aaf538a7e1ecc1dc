import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import type { NewAuditEvent } from "./audit-event.ts";
import { catalogue, type EventKey, isEventKey } from "./catalogue.ts";

const ajv = new Ajv({ allErrors: true, strict: true });
addFormats.default(ajv, ["uuid"]);

const validators = new Map<EventKey, ValidateFunction>();

/**
 * Checks an event against the catalogue: its key, its metadata, and that one of the whole gateway names no project.
 * @throws TypeError that names the fault and no value: recording such an event is a defect.
 */
export function checkEvent({ event, project, metadata }: NewAuditEvent): void {
  if (!isEventKey(event)) throw new TypeError(`"${String(event)}" is not an event of the catalogue.`);
  const { about } = catalogue[event];
  if (about === "gateway" && project !== null) throw new TypeError(`An event ${event} must not name a project.`);
  const validate = validatorOf(event);
  if (validate(metadata)) return;
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const extra = "additionalProperty" in params ? ` (${String(params["additionalProperty"])})` : "";
    return `metadata${instancePath} ${message ?? "is wrong"}${extra}`;
  });
  throw new TypeError(`An event ${event} does not match the catalogue: ${problems.join("; ")}.`);
}

function validatorOf(event: EventKey): ValidateFunction {
  const known = validators.get(event);
  if (known !== undefined) return known;
  const compiled = ajv.compile(catalogue[event].metadata);
  validators.set(event, compiled);
  return compiled;
}

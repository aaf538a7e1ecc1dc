import { GatewayError } from "@gatehouse/errors";
import type { Range } from "@gatehouse/proto/logbook";
import { type LogRange, toLogRange } from "../domain/log-query.ts";

/** @throws GatewayError `invalid_argument`. */
export function fromRange(range: Range | undefined): LogRange {
  return toLogRange(range ?? { limit: 0, cursor: "" });
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Empty means all. @throws GatewayError `invalid_argument` for what is no uuid. */
export function projectFilter(uuid: string): string | undefined {
  if (uuid === "") return undefined;
  if (!uuidForm.test(uuid)) throw new GatewayError("invalid_argument", "project_uuid must be a uuid");
  return uuid.toLowerCase();
}

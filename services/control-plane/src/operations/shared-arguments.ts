import { pageLimitDefault, pageLimitMax, type PageRequest } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import { projectTypes } from "@gatehouse/principal";
import {
  type Argument,
  argument,
  idReference,
  integer,
  invalid,
  nullable,
  oneOf,
  optional,
  reference,
  text,
  withDefault,
} from "../domain/arguments.ts";
import { isRowId } from "../domain/row-id.ts";

const nameLengthMax = 200;
const rateLimitMax = 1_000_000_000;
const cursorLengthMax = 100;
const providerLengthMax = 100;

export const project = reference("The project's uuid.");
export const projectType = oneOf("What the project serves; it cannot be changed later.", projectTypes);
export const tokenId = idReference("The token's id.");
export const endpoint = reference("The endpoint's uuid.");

export const name = text({ description: "A name for people.", lengthMax: nameLengthMax });

export const rateLimits = {
  rate_limit_per_minute: nullable(
    integer({ description: "Requests a minute; null is unlimited.", min: 1, max: rateLimitMax }),
  ),
  rate_limit_per_hour: nullable(
    integer({ description: "Requests an hour; null is unlimited.", min: 1, max: rateLimitMax }),
  ),
};

export const page = {
  limit: withDefault(integer({ description: "Items on a page.", min: 1, max: pageLimitMax }), pageLimitDefault),
  cursor: optional(text({ description: "The next_cursor of the page before.", lengthMax: cursorLengthMax })),
};

export function toPageRequest(args: { readonly limit: number; readonly cursor: string | undefined }): PageRequest {
  const { limit, cursor } = args;
  return cursor === undefined ? { limit } : { limit, cursor };
}

const providerText = text({ description: "The provider's name.", lengthMax: providerLengthMax });

/** A provider by name or by id, as the chat service takes it: an id in decimal. */
export const provider: Argument<string> = argument(
  { type: ["string", "integer"], description: "The provider's name or id." },
  (value, field) => {
    if (typeof value === "number" && Number.isInteger(value)) return toDecimal(value);
    if (typeof value !== "string") throw invalid(field, "must be string or integer");
    return providerText.read(value, field);
  },
);

/** @throws `Provider not found: <id>` for a number that is no row's id. */
function toDecimal(id: number): string {
  if (isRowId(id)) return String(id);
  throw new GatewayError("not_found", `Provider not found: ${id}`);
}

import { isUuid, type OperationCall, resourceNotFound } from "@gatehouse/admin";

type ProjectCall = Pick<OperationCall<{ readonly project?: string }>, "input" | "initiator">;

/** The uuid in the form that rows have; undefined for all projects. @throws GatewayError `not_found` for other text. */
export function projectFilter({ input }: ProjectCall): string | undefined {
  if (input.project === undefined || isUuid(input.project)) return input.project?.toLowerCase();
  throw resourceNotFound("Project", input.project);
}

/** A deleted project still has its entries; one that has none must exist. @throws GatewayError `not_found`. */
export function requireProject({ input, initiator }: ProjectCall): void {
  if (input.project !== undefined && initiator.project === null) throw resourceNotFound("Project", input.project);
}

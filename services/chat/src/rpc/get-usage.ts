import { GatewayError } from "@gatehouse/errors";
import type { GetUsageRequest, GetUsageResponse } from "@gatehouse/proto/chat";
import { isMonth } from "../domain/allowances/index.ts";
import { slugsOf } from "../store/endpoints.ts";
import type { AdminContext } from "./admin-context.ts";

export async function handleGetUsage(
  { store, allowances }: AdminContext,
  { projectUuid, endpointUuid, month }: GetUsageRequest,
): Promise<GetUsageResponse> {
  if (month !== "" && !isMonth(month)) throw new GatewayError("invalid_argument", "month must have the form YYYY-MM");
  const report = await allowances.getUsage({
    ...(projectUuid === "" ? {} : { projectUuid }),
    ...(endpointUuid === "" ? {} : { endpointUuid }),
    ...(month === "" ? {} : { month }),
  });
  const slugs = await slugsOf(store, report.endpoints.map((usage) => usage.endpointUuid)); // prettier-ignore
  const endpoints = report.endpoints.map((usage) => ({ ...usage, slug: slugs.get(usage.endpointUuid) ?? "" }));
  return { month: report.month, endpoints };
}

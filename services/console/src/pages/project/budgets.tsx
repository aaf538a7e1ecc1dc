import { Paper, Stack, Title } from "@mantine/core";
import { useEndpoints } from "../../api/reads.ts";
import type { Endpoint } from "../../api/types.ts";
import { useRead } from "../../api/use-control-plane.ts";
import { formatMoney } from "../../parts/format.ts";
import { Meter, nearlyFull } from "../../parts/meter.tsx";
import { Status } from "../../parts/status.tsx";
import { useNow } from "../../parts/use-now.ts";
import { type BudgetForecast, forecastBudget } from "./budget-forecast.ts";

const refetchIntervalMs = 10_000;

interface BudgetsProps {
  readonly project: string;
  /** Uuid of a single endpoint. */
  readonly endpoint?: string;
}

/** Monthly budgets of a project's endpoints as meters, with a forecast for the end of the month. */
export function Budgets({ project, endpoint }: BudgetsProps) {
  const endpoints: readonly Endpoint[] = useEndpoints(project).data?.endpoints ?? [];
  const usage = useRead("svc_get_usage", { project }, { refetchIntervalMs }).data?.endpoints;
  const now = useNow();
  const budgets = endpoints.flatMap(({ uuid, slug, monthly_budget_usd: budget }) => {
    if (budget === null || budget === undefined || (endpoint !== undefined && uuid !== endpoint)) return [];
    const spent = usage && (usage.find((each) => each.endpoint === uuid)?.cost_usd ?? 0);
    return [{ slug, budget, forecast: spent === undefined ? undefined : forecastBudget(spent, budget, now) }];
  });
  if (budgets.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>{endpoint === undefined ? "Budgets" : "Budget"} this month</Title>
      <Paper className="console-panel" p="md">
        <Stack gap="md">
          {budgets.map(({ slug, budget, forecast }) =>
            forecast === undefined ? (
              <Meter key={slug} label={slug} share={0} text={`… of ${formatMoney(budget)}`} />
            ) : (
              <Budget key={slug} slug={slug} forecast={forecast} />
            ),
          )}
        </Stack>
      </Paper>
    </Stack>
  );
}

function Budget({ slug, forecast }: { readonly slug: string; readonly forecast: BudgetForecast }) {
  const { spentUsd, budgetUsd, share, endUsd } = forecast;
  const spent = `${formatMoney(spentUsd)} of ${formatMoney(budgetUsd)}`;
  const text = endUsd === undefined ? spent : `${spent}, at this pace ${formatMoney(endUsd)} by the end of the month`;
  return <Meter label={slug} share={share} text={text} status={<BudgetStatus forecast={forecast} />} />;
}

function BudgetStatus({ forecast: { share, endUsd, budgetUsd } }: { readonly forecast: BudgetForecast }) {
  if (share >= 1) return <Status kind="bad">Exhausted</Status>;
  if (share >= nearlyFull) return <Status kind="warning">Nearly spent</Status>;
  if (endUsd !== undefined && endUsd > budgetUsd) return <Status kind="warning">Will not last</Status>;
  return null;
}

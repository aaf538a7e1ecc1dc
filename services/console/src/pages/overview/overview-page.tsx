import { PageHeader } from "../../parts/page-header.tsx";

/** Whether the gateway is well, and what it has cost this month. */
export function OverviewPage() {
  return <PageHeader title="Overview" />;
}

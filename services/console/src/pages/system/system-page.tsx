import { Stack } from "@mantine/core";
import { useMay } from "../../api/use-control-plane.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Administrators } from "./administrators.tsx";
import { ApplyConfiguration, ExportConfiguration } from "./configuration.tsx";

/** Administrators, and the configuration as one document. */
export function SystemPage() {
  const may = {
    keys: useMay("svc_list_admin_keys"),
    export: useMay("svc_export_backup"),
    apply: useMay("svc_apply_config"),
  };
  return (
    <Stack>
      <PageHeader title="System" description="Who administers this gateway, and its configuration as one document." />
      {may.keys && <Administrators />}
      {may.export && <ExportConfiguration />}
      {may.apply && <ApplyConfiguration />}
    </Stack>
  );
}

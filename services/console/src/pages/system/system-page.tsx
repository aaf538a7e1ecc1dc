import { Stack } from "@mantine/core";
import { useMay } from "../../api/use-control-plane.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Administrators } from "./administrators.tsx";
import { ApplyConfiguration, ExportConfiguration } from "./configuration.tsx";
import { ConsoleSessions } from "./console-sessions.tsx";
import { Services } from "./services.tsx";

/** Services, administrators, sessions, and the configuration document. */
export function SystemPage() {
  const may = {
    system: useMay("svc_get_system"),
    sessions: useMay("svc_list_console_sessions"),
    export: useMay("svc_export_backup"),
  };
  return (
    <Stack>
      <PageHeader
        title="System"
        description="The services of this gateway, who administers it, and its configuration as one document."
      />
      {may.system && <Services />}
      <Administrators />
      {may.sessions && <ConsoleSessions />}
      {may.export && <ExportConfiguration />}
      <ApplyConfiguration />
    </Stack>
  );
}

import { Box } from "@mantine/core";
import { useEndpoints, useProject } from "../api/reads.ts";
import { useMay } from "../api/use-control-plane.ts";
import { CodeBlock } from "./code-block.tsx";
import { firstCurlFor, firstEndpointOf } from "./snippets.ts";

interface FirstCallProps {
  /** Uuid. */
  readonly project: string;
  /** Uuid of the session that the call begins; absent: none. */
  readonly sessionId?: string;
}

/** An example call for the project, with the token in an environment variable. */
export function FirstCall(props: FirstCallProps) {
  return useMay("svc_list_endpoints") && <Call {...props} />;
}

function Call({ project: uuid, sessionId }: FirstCallProps) {
  const { data: project } = useProject(uuid);
  const endpoints = useEndpoints(uuid).data?.endpoints;
  if (project === undefined || endpoints === undefined) return null;
  const call = firstCurlFor(project, firstEndpointOf(endpoints), sessionId);
  if (call === undefined) return null;
  return (
    <Box maw="100%">
      <CodeBlock text={call} label="A first call with curl" />
    </Box>
  );
}

import { Box } from "@mantine/core";
import { useEndpoints, useProject } from "../api/reads.ts";
import { useMay } from "../api/use-control-plane.ts";
import { CodeBlock } from "./code-block.tsx";
import { firstCurlFor, firstEndpointOf } from "./snippets.ts";

/** An example call for the project, with the token in an environment variable. */
export function FirstCall({ project: uuid }: { readonly project: string }) {
  return useMay("svc_list_endpoints") && <Call uuid={uuid} />;
}

function Call({ uuid }: { readonly uuid: string }) {
  const { data: project } = useProject(uuid);
  const endpoints = useEndpoints(uuid).data?.endpoints;
  if (project === undefined || endpoints === undefined) return null;
  const call = firstCurlFor(project, firstEndpointOf(endpoints));
  if (call === undefined) return null;
  return (
    <Box maw="100%">
      <CodeBlock text={call} label="A first call with curl" />
    </Box>
  );
}

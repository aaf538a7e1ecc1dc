import { useMay, useRead } from "../api/use-control-plane.ts";
import { nameEndpoint, type Names } from "../api/use-names.ts";
import { shorten } from "./format.ts";
import { visibleName } from "./visible-name.ts";

interface EndpointNameProps {
  readonly uuid: string;
  readonly names: Names;
  readonly isOfOneProject: boolean;
  /** Shown while unknown and after deletion; absent: the shortened uuid. */
  readonly otherwise?: string;
}

/**
 * An endpoint's name, with its uuid as tooltip. Reads unknown projects when rendered, so that a long list reads only those in
 * view.
 */
export function EndpointName({ uuid, names, isOfOneProject, otherwise = shorten(uuid) }: EndpointNameProps) {
  const known = nameEndpoint(names, uuid, isOfOneProject);
  const isMissing = known === undefined && names.isComplete;
  const enabled = useMay("svc_get_endpoint") && isMissing;
  const { data } = useRead("svc_get_endpoint", { endpoint: uuid }, { enabled });
  const read = data && nameEndpoint({ ...names, endpoints: new Map([[uuid, data]]) }, uuid, isOfOneProject);
  return <span title={uuid}>{visibleName(known ?? read ?? otherwise)}</span>;
}

/** An endpoint's name; its shortened uuid while unknown and after deletion. */
export function useEndpointText(uuid: string | undefined): string {
  const enabled = useMay("svc_get_endpoint") && uuid !== undefined;
  const { data } = useRead("svc_get_endpoint", { endpoint: uuid ?? "" }, { enabled });
  return data === undefined ? shorten(uuid ?? "") : visibleName(data.slug);
}

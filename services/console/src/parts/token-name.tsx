import { useMay, useRead } from "../api/use-control-plane.ts";
import { visibleName } from "./visible-name.ts";

/** A token's name with its id, since names may repeat; the id alone while unknown and after deletion. */
export function useTokenText(id: number | undefined): string {
  const enabled = useMay("svc_get_token") && id !== undefined;
  const { data } = useRead("svc_get_token", { token_id: id ?? 0 }, { enabled });
  return data === undefined ? `id ${id ?? ""}` : `${visibleName(data.name)} (id ${id ?? ""})`;
}

/** A token's name, read when rendered. */
export function TokenName({ id }: { readonly id: number }) {
  return useTokenText(id);
}

import { useMay, useRead } from "../api/use-control-plane.ts";
import { visibleName } from "./visible-name.ts";

/** A token as people know it, with its id: names need not differ. The id alone where the token is not known, or deleted. */
export function useTokenText(id: number | undefined): string {
  const enabled = useMay("svc_get_token") && id !== undefined;
  const { data } = useRead("svc_get_token", { token_id: id ?? 0 }, { enabled });
  return data === undefined ? `id ${id ?? ""}` : `${visibleName(data.name)} (id ${id ?? ""})`;
}

/** A token by its name, read when this is drawn. */
export function TokenName({ id }: { readonly id: number }) {
  return useTokenText(id);
}

import { useMemo } from "react";
import { useTokens } from "../../api/reads.ts";
import { nameEndpoint, useNames } from "../../api/use-names.ts";
import { FindSelect } from "../../parts/find-select.tsx";
import { shorten } from "../../parts/format.ts";
import { visibleName } from "../../parts/visible-name.ts";

interface EndpointChoiceProps {
  /** Project of the endpoints; absent: all named ones. */
  readonly project: string | undefined;
  /** Called with the uuid. */
  readonly onChoose: (endpoint: string) => void;
}

/** Selects the endpoint of the shown requests. */
export function EndpointChoice({ project, onChoose }: EndpointChoiceProps) {
  const named = useMemo(() => (project === undefined ? undefined : [project]), [project]);
  const names = useNames(named);
  const options = useMemo(() => {
    const known = [...names.endpoints.keys()].map((uuid) => {
      const label = nameEndpoint(names, uuid, project !== undefined) ?? shorten(uuid);
      return { value: uuid, label: visibleName(label), hint: shorten(uuid) };
    });
    return [{ value: "", label: "Any" }, ...known];
  }, [names, project]);
  return <FindSelect label="Endpoint" options={options} value="" onChange={onChoose} />;
}

interface TokenChoiceProps {
  readonly project: string;
  readonly onChoose: (tokenId: number) => void;
}

/** Selects the token of the shown requests. */
export function TokenChoice({ project, onChoose }: TokenChoiceProps) {
  const { data } = useTokens(project);
  const options = useMemo(() => {
    const tokens = data?.tokens ?? [];
    const known = tokens.map(({ id, name }) => ({ value: String(id), label: visibleName(name), hint: `id ${id}` }));
    return [{ value: "", label: "Any" }, ...known];
  }, [data]);
  return <FindSelect label="Token" options={options} value="" onChange={(id) => onChoose(Number(id))} />;
}

import { ActionIcon, NativeSelect, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { useProjects } from "../api/reads.ts";
import { useMay } from "../api/use-control-plane.ts";
import { FindSelect } from "./find-select.tsx";
import { shorten } from "./format.ts";
import { Icon } from "./icon.tsx";
import { useNow } from "./use-now.ts";
import { visibleName } from "./visible-name.ts";

/** Spans up to now, in hours. */
const spans = [
  { value: "", label: "Any time" },
  { value: "1", label: "Last hour" },
  { value: "24", label: "Last day" },
  { value: "168", label: "Last week" },
  { value: "720", label: "Last 30 days" },
];

const hourMs = 3_600_000;
/** Coarse, so that repeated reads of a view are equal for a while. */
const startStepMs = 60_000;

/** Start of a span for the log operations; undefined: any time. */
function sinceOf(hours: number | undefined, nowMs: number): string | undefined {
  if (hours === undefined) return undefined;
  return new Date(Math.floor((nowMs - hours * hourMs) / startStepMs) * startStepMs).toISOString();
}

/** Start of a span as of its selection: a moving list would lose the reader's place. */
export function useSince(hours: number | undefined): string | undefined {
  const now = useNow();
  const [start, setStart] = useState(() => ({ hours, since: sinceOf(hours, now) }));
  if (start.hours === hours) return start.since;
  const since = sinceOf(hours, now);
  setStart({ hours, since });
  return since;
}

interface SpanFilterProps {
  readonly hours: number | undefined;
  readonly onChange: (hours: number | undefined) => void;
}

/** Selects the span of a list. */
export function SpanFilter({ hours, onChange }: SpanFilterProps) {
  return (
    <NativeSelect
      label="Time"
      data={spans}
      value={hours === undefined ? "" : String(hours)}
      onChange={({ currentTarget: { value } }) => onChange(value === "" ? undefined : Number(value))}
    />
  );
}

interface ProjectFilterProps {
  readonly project: string | undefined;
  readonly onChange: (project: string | undefined) => void;
}

/** Selects one project, or all. */
export function ProjectFilter({ project, onChange }: ProjectFilterProps) {
  const mayList = useMay("svc_list_projects");
  const { data } = useProjects();
  const options = useMemo(() => {
    const projects = data?.projects ?? [];
    const known = projects.map(({ uuid, name }) => ({ value: uuid, label: visibleName(name), hint: shorten(uuid) }));
    return [{ value: "", label: "All projects" }, ...known];
  }, [data]);
  if (!mayList) return null;
  return (
    <FindSelect
      label="Project"
      options={options}
      value={project ?? ""}
      onChange={(value) => onChange(value === "" ? undefined : value)}
    />
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onApply: (value: string | undefined) => void;
}

/** Applied with Enter or the button, so that not every letter causes a call. */
export function TextFilter({ label, placeholder, value, onApply }: TextFilterProps) {
  const apply = (form: FormData) => {
    const text = form.get("text");
    onApply(typeof text === "string" && text.trim() !== "" ? text.trim() : undefined);
  };
  return (
    <form action={apply} key={value ?? ""}>
      <TextInput
        name="text"
        label={label}
        placeholder={placeholder}
        defaultValue={value ?? ""}
        rightSection={
          <ActionIcon type="submit" aria-label={`Filter by ${label.toLowerCase()}`}>
            <Icon name="search" size={14} />
          </ActionIcon>
        }
      />
    </form>
  );
}

import { Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { lastMoment, toLocalText } from "../../parts/schema-form/read-moment.ts";
import { type Range, readRange } from "./read-range.ts";

interface RangeFieldsProps {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly onChange: (range: Range) => void;
}

/** Beginning and end of the shown range, in the viewer's zone; applied by Enter, or when a field is left. */
export function RangeFields({ since = "", until = "", onChange }: RangeFieldsProps) {
  const shown = { since: toLocalText(since), until: toLocalText(until) };
  const [given, setGiven] = useState(shown);
  const [draft, setDraft] = useState(shown);
  const [isAsked, setAsked] = useState(false);
  // Another range, such as a zoom. What is being typed into the other field stays, and so does the focus.
  if (given.since !== shown.since || given.until !== shown.until) {
    setGiven(shown);
    setDraft({
      since: given.since === shown.since ? draft.since : shown.since,
      until: given.until === shown.until ? draft.until : shown.until,
    });
  }
  const isShown = draft.since === shown.since && draft.until === shown.until;
  const range = readRange(draft.since, draft.until);
  // Read from what the fields hold, so that a range that arrives late cannot remove it.
  const problem = isAsked && !isShown && typeof range === "string" ? range : undefined;
  const apply = () => {
    setAsked(!isShown && typeof range === "string");
    if (!isShown && typeof range !== "string") onChange(range);
  };
  const field = (name: keyof Range, label: string) => (
    <TextInput
      label={label}
      type="datetime-local"
      max={lastMoment}
      value={draft[name]}
      error={name === "until" ? problem : problem !== undefined}
      onChange={({ currentTarget: { value } }) => setDraft({ ...draft, [name]: value })}
      onBlur={apply}
      onKeyDown={({ key }) => key === "Enter" && apply()}
    />
  );
  return (
    <Group align="flex-start" gap="sm">
      {field("since", "From")}
      {field("until", "To")}
    </Group>
  );
}

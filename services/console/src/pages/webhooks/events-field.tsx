import { Button, Stack } from "@mantine/core";
import { useSignedIn } from "../../api/use-control-plane.ts";
import { ChoicesField } from "../../parts/schema-form/choice-field.tsx";
import { type FieldProps, listOrNone } from "../../parts/schema-form/field.ts";
import { choosableEvents } from "./event-keys.ts";

/** The events of a webhook: each by its key, or all. */
function EventsField(props: FieldProps) {
  const { session } = useSignedIn();
  const all = choosableEvents(props.schema.items?.enum ?? [], session.projects !== null);
  const chosen: readonly unknown[] = Array.isArray(props.value) ? props.value : [];
  const areAll = all.every((key) => chosen.includes(key));
  return (
    <Stack gap={4}>
      <ChoicesField {...props} />
      <Button
        variant="subtle"
        size="compact-xs"
        mr="auto"
        onClick={() => props.onChange(listOrNone(areAll ? [] : all, props))}
      >
        {areAll ? "No events" : "All events"}
      </Button>
    </Stack>
  );
}

/** Fields of a webhook's forms that are not by schema alone. */
export const webhookFields = { events: EventsField };

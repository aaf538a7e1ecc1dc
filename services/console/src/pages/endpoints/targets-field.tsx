import {
  ActionIcon,
  Autocomplete,
  Button,
  Collapse,
  Group,
  Input,
  NumberInput,
  Paper,
  Stack,
  TextInput,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useProviders } from "../../api/reads.ts";
import type { Target } from "../../api/types.ts";
import { toLabel } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { type FieldProps, inputProps } from "../../parts/schema-form/field.ts";

const numberNames = ["input_price_per_million", "output_price_per_million", "retries"] as const;

/** The targets of an endpoint, in the order in which they are tried. */
export function TargetsField(props: FieldProps) {
  const targets = Array.isArray(props.value) ? (props.value as Target[]) : [];
  const { label, description, error } = inputProps(props);
  const replace = (index: number, next: readonly Target[]) => props.onChange(targets.toSpliced(index, 1, ...next));
  const swap = (index: number, other: number) => {
    const [moved, displaced] = [targets[index], targets[other]];
    if (moved !== undefined && displaced !== undefined)
      props.onChange(targets.with(index, displaced).with(other, moved));
  };
  return (
    <Input.Wrapper label={label} description={description} error={error} size="xs" required>
      <Stack gap="xs" mt={6}>
        {targets.map((target, index) => (
          <TargetRow
            // Targets have no identity but their place.
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            target={target}
            number={index + 1}
            onChange={(next) => replace(index, next === undefined ? [] : [next])}
            {...(index > 0 && { onUp: () => swap(index, index - 1) })}
            {...(index < targets.length - 1 && { onDown: () => swap(index, index + 1) })}
          />
        ))}
        <Group>
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => props.onChange([...targets, { provider: "", model: "" }])}
          >
            Add target
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}

interface TargetRowProps {
  readonly target: Target;
  /** From 1. */
  readonly number: number;
  /** Undefined removes it. */
  readonly onChange: (target: Target | undefined) => void;
  readonly onUp?: () => void;
  readonly onDown?: () => void;
}

function TargetRow({ target, number, onChange, onUp, onDown }: TargetRowProps) {
  const { data } = useProviders();
  const [hasMore, { toggle }] = useDisclosure(numberNames.some((name) => typeof target[name] === "number"));
  const names = (data?.providers ?? []).map(({ name }) => name);
  return (
    <Paper className="console-panel" p="xs">
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <Autocomplete
          size="xs"
          label={`Provider ${number}`}
          data={names}
          value={target.provider}
          onChange={(provider) => onChange({ ...target, provider })}
        />
        <TextInput
          label={`Model ${number}`}
          value={target.model}
          onChange={(event) => onChange({ ...target, model: event.currentTarget.value })}
          flex={1}
        />
        <ActionIcon aria-label={`Try target ${number} earlier`} disabled={onUp === undefined} onClick={onUp}>
          <Icon name="up" />
        </ActionIcon>
        <ActionIcon aria-label={`Try target ${number} later`} disabled={onDown === undefined} onClick={onDown}>
          <Icon name="down" />
        </ActionIcon>
        <ActionIcon aria-label={`Prices and retries of target ${number}`} aria-expanded={hasMore} onClick={toggle}>
          <Icon name="more" />
        </ActionIcon>
        <ActionIcon aria-label={`Remove target ${number}`} onClick={() => onChange(undefined)}>
          <Icon name="trash" />
        </ActionIcon>
      </Group>
      <Collapse expanded={hasMore}>
        <TargetNumbers target={target} onChange={onChange} />
      </Collapse>
    </Paper>
  );
}

function TargetNumbers({ target, onChange }: Pick<TargetRowProps, "target" | "onChange">) {
  const change = (name: string, value: string | number) => {
    const { [name]: _before, ...rest } = target;
    onChange(typeof value === "number" ? ({ ...rest, [name]: value } as Target) : (rest as Target));
  };
  return (
    <Group gap="xs" grow mt="xs">
      {numberNames.map((name) => (
        <NumberInput
          key={name}
          label={toLabel(name)}
          value={typeof target[name] === "number" ? target[name] : ""}
          onChange={(value) => change(name, value)}
          min={0}
          hideControls
        />
      ))}
    </Group>
  );
}

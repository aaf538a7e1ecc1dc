import { Button, Fieldset, Input, SimpleGrid } from "@mantine/core";
import { type ComponentType, useId } from "react";
import type { JsonSchema } from "../../api/json-schema.ts";
import { toLabel } from "../format.ts";
import { chosenIn } from "./chosen-in.ts";
import { fieldKindOf } from "./field-kind.ts";
import { describe, type FieldProps, noneOf } from "./field.ts";
import { membersFor } from "./members-for.ts";
import { ownRefusal, refusalWithin } from "./refusal.ts";

/** Number of fields from which a group has two columns. */
const columnsFrom = 4;

type GroupProps = FieldProps & {
  /** The component for a member's field. */
  readonly Field: ComponentType<FieldProps>;
};

/** A record as a fieldset. An optional one with nested fields is a button until it is opened. */
export function GroupField(props: GroupProps) {
  const { label, schema, value, onChange } = props;
  const descriptionId = useId();
  const isOptional = isLargeRecord(schema) && !props.isRequired && (schema.required ?? []).length === 0;
  const isAbsent = isOptional && (value === undefined || value === null);
  const description = describe(schema) ?? sharedDescription(membersFor(schema, value).map(([, member]) => member));
  return (
    <Fieldset legend={label} p="sm" aria-describedby={description === undefined ? undefined : descriptionId}>
      {description !== undefined && (
        <Input.Description id={descriptionId} mb="xs">
          {description}
        </Input.Description>
      )}
      {!isAbsent && <GroupMembers {...props} />}
      {isOptional && (
        <Button variant="default" mt={isAbsent ? 0 : "xs"} onClick={() => onChange(isAbsent ? {} : noneOf(schema))}>
          {isAbsent ? "Set up" : "Remove"} {label.toLowerCase()}
        </Button>
      )}
    </Fieldset>
  );
}

/** Fields of a record's members, without a frame. */
export function GroupMembers({ schema, value, onChange, Field, ...refusal }: GroupProps) {
  const values = (value ?? {}) as Readonly<Record<string, unknown>>;
  const members = membersFor(schema, value);
  const shared = sharedDescription(members.map(([, member]) => member));
  const isWide = members.length > columnsFrom && !members.some(([name, member]) => isLarge(name, member));
  const own = ownRefusal(
    refusal,
    members.map(([name]) => name),
  );
  return (
    <>
      {own !== undefined && <Input.Error mb="xs">{own}</Input.Error>}
      <SimpleGrid cols={isWide ? { base: 1, sm: 2 } : 1} spacing="sm" verticalSpacing="xs">
        {members.map(([name, member]) => (
          <Field
            key={name}
            name={name}
            label={member.title ?? toLabel(name)}
            schema={shared === undefined ? member : withoutDescription(member)}
            isRequired={schema.required?.includes(name) ?? false}
            value={values[name]}
            onChange={(next) => onChange({ ...chosenIn(schema), ...values, [name]: next })}
            {...refusalWithin(refusal, name)}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

function isLargeRecord({ properties = {} }: JsonSchema): boolean {
  return Object.entries(properties).some(([name, member]) => isLarge(name, member));
}

/** Whether a member has nested fields, too wide for half a column. */
function isLarge(name: string, member: JsonSchema): boolean {
  return ["group", "list", "json"].includes(fieldKindOf(name, member));
}

/** Description that several fields share, shown once. */
function sharedDescription(schemas: readonly JsonSchema[]): string | undefined {
  const [first, ...others] = schemas.map(describe);
  return others.length > 0 && others.every((text) => text === first) ? first : undefined;
}

function withoutDescription({ description: _said, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

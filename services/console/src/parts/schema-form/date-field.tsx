import { TextInput } from "@mantine/core";
import { useState } from "react";
import { type FieldProps, inputProps, noneOf } from "./field.ts";
import { halfMoment, lastMoment, readMoment, toLocalText } from "./read-moment.ts";
import { Unreadable } from "./unreadable.ts";

/** Native picker in the viewer's zone; sent in UTC. */
export function DateField(props: FieldProps) {
  const { schema, value, onChange } = props;
  const [isLeft, setIsLeft] = useState(false);
  const change = ({ value: text, validity }: HTMLInputElement) => {
    if (validity.badInput) {
      if (value !== halfMoment) onChange(halfMoment);
      return;
    }
    const afterMs = schema.isFuture === true ? Date.now() : undefined;
    onChange(readMoment(text, afterMs) ?? noneOf(schema));
  };
  /** An incomplete date does not change the input's value, so the browser reports no change. */
  const look = (input: HTMLInputElement) => {
    if (input.validity.badInput !== (value === halfMoment)) change(input);
  };
  const { error, ...input } = inputProps(props);
  return (
    <TextInput
      {...input}
      error={isLeft && value instanceof Unreadable ? value.problem : error}
      type="datetime-local"
      max={lastMoment}
      value={textOf(value)}
      onChange={(event) => change(event.currentTarget)}
      onKeyUp={(event) => look(event.currentTarget)}
      // Triggered by the form, which validates its fields before sending.
      onInvalid={(event) => look(event.currentTarget)}
      onBlur={(event) => {
        setIsLeft(true);
        look(event.currentTarget);
      }}
    />
  );
}

function textOf(value: unknown): string {
  if (value instanceof Unreadable) return value.text;
  return typeof value === "string" ? toLocalText(value) : "";
}

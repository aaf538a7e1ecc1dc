import { Button, Collapse, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useMay, useSignedIn } from "../../api/use-control-plane.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FreeText } from "../../parts/free-text.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { JsonField } from "../../parts/schema-form/json-field.tsx";
import { Unreadable } from "../../parts/schema-form/unreadable.ts";
import { Status } from "../../parts/status.tsx";

interface SchemaSampleFieldProps extends FieldProps {
  readonly project: string;
}

/** A JSON schema, with a sample to validate before it is saved. */
export function SchemaSampleField({ project, ...props }: SchemaSampleFieldProps) {
  const { value } = props;
  const isSchema = typeof value === "object" && value !== null && !(value instanceof Unreadable);
  return (
    <Stack gap={4}>
      <JsonField {...props} />
      {isSchema && <TrySample label={props.label} project={project} schema={value} />}
    </Stack>
  );
}

/** Button that opens a sample for a schema; absent without the right. */
export function TrySample(props: SampleProps) {
  const [isOpen, { toggle }] = useDisclosure(false);
  if (!useMay("svc_check_sample")) return null;
  return (
    <>
      <Group>
        <Button variant="subtle" size="compact-xs" aria-expanded={isOpen} onClick={toggle}>
          Try a sample
        </Button>
      </Group>
      <Collapse expanded={isOpen}>{isOpen && <Sample {...props} />}</Collapse>
    </>
  );
}

interface SampleProps {
  readonly label: string;
  readonly project: string;
  readonly schema: unknown;
}

function Sample({ label, project, schema }: SampleProps) {
  const { controlPlane } = useSignedIn();
  const [sample, setSample] = useState("");
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: async () =>
      await controlPlane.call("svc_check_sample", {
        project,
        schema,
        sample,
      }),
  });
  return (
    <Stack gap="xs">
      <FreeText
        label={`Sample for ${label.toLowerCase()}`}
        value={sample}
        onText={(text) => {
          setSample(text);
          reset();
        }}
        spent={[data && sample]}
        isCode
        placeholder="JSON"
        minRows={2}
        maxRows={10}
      />
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <LiveResult>{data !== undefined && <Violations violations={data.violations} />}</LiveResult>
        <Button variant="default" loading={isPending} disabled={sample.trim() === ""} onClick={() => mutate()}>
          Check the sample
        </Button>
      </Group>
      <ErrorAlert error={error} />
    </Stack>
  );
}

function Violations({ violations }: { readonly violations: readonly string[] }) {
  if (violations.length === 0) return <Status kind="good">The sample is valid</Status>;
  return (
    <Stack gap={2}>
      <Status kind="bad">The sample is not valid</Status>
      <List size="sm">
        {violations.map((violation) => (
          <List.Item key={violation}>
            <Text size="sm">{violation}</Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

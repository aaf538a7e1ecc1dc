import { Button, Group, Menu, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { type Arguments, rowsMax, wholeListMax } from "../api/control-plane.ts";
import type { LogName } from "../api/types.ts";
import { useSignedIn } from "../api/use-control-plane.ts";
import { formatCount } from "./format.ts";
import { notifyDone, notifyFailed } from "./notify.ts";
import { saveFile } from "./save-file.ts";
import { toCsv } from "./to-csv.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

const formats = {
  csv: { label: "CSV", type: "text/csv", encode: (rows: Rows) => toCsv(rows) },
  jsonl: {
    label: "JSON lines",
    type: "application/jsonl",
    encode: (rows: Rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  },
} as const;

type Format = keyof typeof formats;

interface ExportMenuProps {
  /** File name without its extension. */
  readonly name: string;
  /** Lists `entries`. */
  readonly operation: LogName;
  readonly args: Arguments;
}

/** Saves the filtered rows as a file, newest first, up to a bound. Can be cancelled. */
export function ExportMenu({ name, operation, args }: ExportMenuProps) {
  const { controlPlane } = useSignedIn();
  const [read, setRead] = useState<number>();
  const isStopped = useRef(false);
  const run = async (format: Format) => {
    isStopped.current = false;
    const rows: Record<string, unknown>[] = [];
    let cursor: string | null | undefined;
    do {
      setRead(rows.length);
      const asked = { limit: rowsMax, ...args, ...(cursor !== undefined && { cursor }) };
      const page = await controlPlane.call(operation, asked);
      rows.push(...page.entries);
      cursor = page.next_cursor;
    } while (cursor !== null && rows.length < wholeListMax && !isStopped.current);
    if (isStopped.current) return;
    const { type, encode } = formats[format];
    saveFile(`${name}.${format}`, encode(rows), type);
    notifyDone(
      `${formatCount(rows.length)} rows saved.${cursor === null ? "" : " There are older rows: narrow the time range."}`,
    );
  };
  const start = (format: Format) => void run(format).catch(notifyFailed).finally(() => setRead(undefined)); // prettier-ignore
  if (read !== undefined) {
    return (
      <Group gap="xs">
        <Text size="sm" aria-live="polite">
          {formatCount(read)} rows read
        </Text>
        <Button variant="default" onClick={() => (isStopped.current = true)}>
          Stop
        </Button>
      </Group>
    );
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">Export</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(formats) as Format[]).map((format) => (
          <Menu.Item key={format} onClick={() => start(format)}>
            {formats[format].label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

import type { Newest } from "../api/conflict.ts";
import type { Arguments } from "../api/control-plane.ts";
import type { OperationName } from "../api/types.ts";
import { notifyDone } from "./notify.ts";
import { OperationDrawer, type OperationDrawerProps } from "./operation-drawer.tsx";

/** The list's own word for a new one, or the row that is edited. */
export type Opened<Row> = "create" | Row;

interface ResourceDrawerProps {
  /** In the singular, such as `provider`. */
  readonly noun: string;
  readonly create: OperationName;
  /** Row that is edited; undefined for a new one. */
  readonly edited:
    | ({ readonly name: string; readonly operation: OperationName; readonly fixed: Arguments } & Newest)
    | undefined;
  /** Fields of a new one that need more than their schema says. */
  readonly fields?: OperationDrawerProps<OperationName>["fields"];
  readonly onClose: () => void;
}

/** The form of a new resource or of one that is there, as their operations' schemas have it. */
export function ResourceDrawer({ noun, create, edited, fields = {}, onClose }: ResourceDrawerProps) {
  const onDone = () => {
    onClose();
    notifyDone(`The ${noun} is saved.`);
  };
  if (edited === undefined) {
    const title = `Add ${noun}`;
    return <OperationDrawer {...{ title, fields, onDone, onClose }} operation={create} submitLabel={title} />;
  }
  const { name, ...form } = edited;
  return <OperationDrawer {...form} {...{ onDone, onClose }} title={`Edit ${name}`} submitLabel="Save" />;
}

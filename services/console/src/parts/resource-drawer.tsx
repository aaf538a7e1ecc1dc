import type { Newest } from "../api/conflict.ts";
import type { Arguments } from "../api/control-plane.ts";
import type { OperationName } from "../api/types.ts";
import { notifyDone } from "./notify.ts";
import { OperationDrawer, type OperationDrawerProps } from "./operation-drawer.tsx";

/** `create` for a new item, or the edited row. */
export type Opened<Row> = "create" | Row;

interface ResourceDrawerProps {
  /** Singular, such as `provider`. */
  readonly noun: string;
  readonly create: OperationName;
  /** The edited row; undefined for a new one. */
  readonly edited:
    | ({ readonly name: string; readonly operation: OperationName; readonly fixed: Arguments } & Newest)
    | undefined;
  /** Custom fields of a new item. */
  readonly fields?: OperationDrawerProps<OperationName>["fields"];
  readonly onClose: () => void;
}

/** Form of a new or existing resource, by its operations' schemas. */
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

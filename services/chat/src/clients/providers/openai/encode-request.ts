import { type FromWire, type WireFields, wireFields, wireText } from "../../../domain/completion.ts";
import type { JsonObject } from "../../../domain/endpoint.ts";

interface Encodable extends JsonObject {
  readonly [wireFields]?: WireFields | undefined;
}

/** What the adapter decides itself; undefined leaves a field out. */
export interface ManagedFields {
  readonly model: string;
  readonly stream?: true | undefined;
  readonly stream_options?: object | undefined;
}

/** A request as JSON. What came from a caller's body and has not changed is sent as it was written, byte for byte. */
export function encodeRequest(request: Encodable, managed: ManagedFields): string {
  const fields = { ...request, stream: undefined, stream_options: undefined, ...managed };
  const written = request[wireFields];
  const parts: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const text = Object.hasOwn(managed, name) ? undefined : (written?.get(name) ?? textOf(value));
    parts.push(`${JSON.stringify(name)}:${text ?? JSON.stringify(value)}`);
  }
  return `{${parts.join(",")}}`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? (value as FromWire)[wireText] : undefined;
}

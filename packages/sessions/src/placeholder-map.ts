import type { SealedColumn } from "@gatehouse/database";
import { type Keyring, seal, Secret, unseal } from "@gatehouse/vault";
import { sessionBounds, type SessionPlaceholder } from "./session.ts";

/** A session's map as it is stored: the messages have the placeholders alone, so the values must not stand beside them readable. */
export interface SealedMap {
  readonly uuid: string;
  readonly sealed: string;
}

/** Where sealed maps are stored, for a keyring's rotation; no backup holds them. */
export const sealedPlaceholders: SealedColumn = { table: "session_placeholders", column: "sealed", placeOf };

/** Seals the first placeholders that a session may keep; later ones have no value in the calls that follow. */
export function sealMap(keyring: Keyring, uuid: string, placeholders: readonly SessionPlaceholder[]): SealedMap {
  const kept: [label: string, value: string][] = [];
  let bytes = 0;
  for (const { label, value } of placeholders) {
    bytes += Buffer.byteLength(label) + Buffer.byteLength(value);
    if (bytes > sessionBounds.placeholderBytesMax) break;
    kept.push([label, value]);
  }
  return { uuid, sealed: seal(keyring, new Secret(JSON.stringify(kept)), placeOf(uuid)) };
}

/** @throws GatewayError `internal` where no key of the keyring opens it. */
export function openMap(keyring: Keyring, { uuid, sealed }: SealedMap): readonly SessionPlaceholder[] {
  const kept = JSON.parse(unseal(keyring, sealed, placeOf(uuid)).reveal()) as readonly [label: string, value: string][];
  return kept.map(([label, value]) => ({ label, value }));
}

function placeOf(uuid: string): string {
  return `chat.session_placeholders/${uuid}`;
}

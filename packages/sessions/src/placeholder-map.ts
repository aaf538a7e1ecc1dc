import { hash } from "node:crypto";
import type { SealedColumn } from "@gatehouse/database";
import { type Keyring, seal, Secret, unseal } from "@gatehouse/vault";
import { sessionBounds, type SessionKey, type SessionPlaceholder } from "./session.ts";

/** Stored map of a session. Sealed, because the messages have only the placeholders, and their values must not be readable beside them. */
export interface SealedMap {
  readonly uuid: string;
  readonly sealed: string;
}

/** Column of the sealed maps, for a keyring's rotation; no backup includes them. */
export const sealedPlaceholders: SealedColumn = { table: "session_placeholders", column: "sealed", placeOf };

/** Seals a session's first placeholders, up to its bound; later ones have no value in the following calls. */
export function sealMap(keyring: Keyring, key: SessionKey, placeholders: readonly SessionPlaceholder[]): SealedMap {
  const uuid = mapUuidOf(key);
  const kept: [label: string, value: string][] = [];
  let bytes = 0;
  for (const { label, value } of placeholders) {
    bytes += Buffer.byteLength(label) + Buffer.byteLength(value);
    if (bytes > sessionBounds.placeholderBytesMax) break;
    kept.push([label, value]);
  }
  return { uuid, sealed: seal(keyring, new Secret(JSON.stringify(kept)), placeOf(uuid)) };
}

/** @throws GatewayError `internal` where no key of the keyring opens it, or it was sealed for another session. */
export function openMap(keyring: Keyring, key: SessionKey, { sealed }: SealedMap): readonly SessionPlaceholder[] {
  const uuid = mapUuidOf(key);
  const kept = JSON.parse(unseal(keyring, sealed, placeOf(uuid)).reveal()) as readonly [label: string, value: string][];
  return kept.map(([label, value]) => ({ label, value }));
}

/** Derives the UUID from the session, so that a map copied to another session does not open there. */
function mapUuidOf({ tokenId, endpointUuid, sessionUuid }: SessionKey): string {
  const hex = hash("sha256", JSON.stringify([tokenId, endpointUuid, sessionUuid]));
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function placeOf(uuid: string): string {
  return `chat.session_placeholders/${uuid}`;
}

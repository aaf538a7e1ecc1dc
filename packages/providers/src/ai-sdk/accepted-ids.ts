import { createHash } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Length of a made id: the only one that Mistral accepts, and enough for 62^9 ids. */
const madeIdLength = 9;

/**
 * Ids that a provider accepts, in the order of `ids`, all different. An id that matches `accepted` is kept at its first place; any
 * other is replaced with nine letters and digits, which every provider accepts. They depend on the id and its earlier places alone,
 * so that a longer conversation begins with the same ids.
 */
export function toAcceptedIds(ids: readonly string[], accepted: RegExp): readonly string[] {
  const taken = new Set(ids.filter((id) => accepted.test(id)));
  const kept = new Set<string>();
  const hashes = new Map<string, number>();
  return ids.map((id) => {
    if (taken.has(id) && !kept.has(id)) {
      kept.add(id);
      return id;
    }
    const made = makeId(id, hashes, taken);
    taken.add(made);
    return made;
  });
}

/** The next of the id's hashes that is not taken. `hashes` counts those tried so far for each id. */
function makeId(id: string, hashes: Map<string, number>, taken: ReadonlySet<string>): string {
  for (;;) {
    const count = hashes.get(id) ?? 0;
    hashes.set(id, count + 1);
    const made = hashOf(`${count} ${id}`);
    if (!taken.has(made)) return made;
  }
}

function hashOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, madeIdLength);
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

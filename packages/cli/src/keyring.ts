import { randomBytes } from "node:crypto";
import { CliError } from "./cli-error.ts";

const keyBytes = 32;
/** Entry of a keyring: `id:base64key`, with a key of 32 bytes. */
const entryForm = /^[a-z0-9-]{1,32}:[A-Za-z0-9+/]{43}=$/;

/** The keyring with a new key first; services seal with the first and open with any. */
export function rotateKeyring(text: string, day: Date, random: Buffer = randomBytes(keyBytes)): string {
  const entries = readEntries(text);
  const taken = new Set(entries.map(idOf));
  const base = `k${day.toISOString().slice(0, 10).replaceAll("-", "")}`;
  let id = base;
  for (let count = 2; taken.has(id); count += 1) id = `${base}-${count}`;
  return [`${id}:${random.toString("base64")}`, ...entries].join(",");
}

/** The keyring reduced to its first key: values sealed by others can no longer be opened. */
export function retireKeys(text: string): string {
  const [first] = readEntries(text);
  return first ?? "";
}

/** Ids of the keys, the current one first. */
export function keyIds(text: string): readonly string[] {
  return readEntries(text).map(idOf);
}

/** @throws CliError with the entry's position, without its content */
function readEntries(text: string): readonly string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  const wrong = entries.findIndex((entry) => !entryForm.test(entry));
  if (wrong >= 0) throw new CliError(`Keyring entry ${wrong + 1} must be id:base64key with a key of 32 bytes.`, 2);
  const ids = entries.map(idOf);
  const repeated = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (repeated >= 0) {
    const problem = `Keyring entry ${repeated + 1} has the id of an earlier entry. A key is found by its id: leave one of them.`;
    throw new CliError(problem, 2);
  }
  return entries;
}

function idOf(entry: string): string {
  return entry.slice(0, entry.indexOf(":"));
}

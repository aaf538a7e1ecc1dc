import { JsonRefusal } from "./json-refusal.ts";

/** Most characters of a key in a message. */
const shownKeyLengthMax = 64;

const stepValues = 1_024;

/**
 * Refuses a value whose text had equal keys in one object, or, with `foldCase`, keys that differ in case only. Parsers disagree
 * on such texts: the first or the last may count, and Go's `encoding/json` accepts a name in any case, by Unicode's simple
 * folding. `members` is the number of members in the text. Yields between steps.
 * @throws JsonRefusal `ambiguous_key`.
 */
export function* checkKeysInSteps(value: unknown, members: number, foldCase: boolean): Generator<void, void> {
  const pending: object[] = isContainer(value) ? [value] : [];
  let kept = 0;
  let seen = 0;
  // Loops by index and `for in` make no garbage; lists of keys would take several times the text's size.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) {
      const items = next as readonly unknown[];
      for (let at = 0; at < items.length; at += 1) {
        const item = items[at];
        if (isContainer(item)) pending.push(item);
        if ((seen += 1) % stepValues === 0) yield;
      }
      continue;
    }
    let keys = 0;
    let isFoldable = false;
    for (const key in next) {
      const item = memberOf(next as Record<string, unknown>, key);
      if (isContainer(item)) pending.push(item);
      keys += 1;
      isFoldable ||= foldCase && mayFold.test(key);
      if ((seen += 1) % stepValues === 0) yield;
    }
    kept += keys;
    if (isFoldable && keys > 1) yield* checkFolds(Object.keys(next));
  }
  if (kept !== members) {
    throw new JsonRefusal("ambiguous_key", "must not have the same key twice in one object.");
  }
}

/**
 * A function because V8 records no feedback for a read inside `for in`, and loses the loop's state at a `yield`: optimized code of
 * the generator with the read in it is thrown away at its first key, and compiled again, for as long as the process runs.
 */
function memberOf(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return object[key];
}

/** Keys of ASCII without capitals equal their folded form. */
const mayFold = /[A-Z\u0080-\uffff]/;

function* checkFolds(keys: readonly string[]): Generator<void, void> {
  const seen = new Set<string>();
  for (const key of keys) {
    // Upper case first: it joins letters that lower case keeps distinct, such as the long s and s.
    const folded = mayFold.test(key) ? key.toUpperCase().toLowerCase() : key;
    if (seen.has(folded)) throw sameButForCase(key);
    seen.add(folded);
    if (seen.size % stepValues === 0) yield;
  }
}

function sameButForCase(key: string): JsonRefusal {
  const shown = JSON.stringify(key.slice(0, shownKeyLengthMax));
  const message = "must not have two keys in one object that differ in case only";
  return new JsonRefusal("ambiguous_key", `${message}: ${shown}.`, { loggedMessage: `${message}.` });
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

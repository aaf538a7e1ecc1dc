import { JsonRefusal } from "./json-refusal.ts";

/** Characters of a key that a message shows. */
const shownKeyLengthMax = 64;

/** Keys and values that are looked at in one step. */
const stepValues = 1_024;

/**
 * Refuses a value in whose text a key stood twice in one object, or, where `foldCase` is set, twice but for its case. Such a
 * text means different things to different parsers: the first or the last may count, and Go's `encoding/json` takes a name of
 * any case, by Unicode's simple folding. `members` is the number of members that the text has. Yields between steps.
 * @throws JsonRefusal `ambiguous_key`.
 */
export function* checkKeysInSteps(value: unknown, members: number, foldCase: boolean): Generator<void, void> {
  const pending: object[] = isContainer(value) ? [value] : [];
  let kept = 0;
  let seen = 0;
  // By index and by `for in`, which leave no garbage behind: a list of keys for each object would be several times the text.
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
      const item = (next as Record<string, unknown>)[key];
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

/** Keys of ASCII without capitals are their own folds. */
const mayFold = /[A-Z\u0080-\uffff]/;

function* checkFolds(keys: readonly string[]): Generator<void, void> {
  const seen = new Set<string>();
  for (const key of keys) {
    // Upper case first: it joins what lower case leaves apart, such as the long s and s.
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

/** Kinds of a group that an item is compared with before a key is built for it. */
const comparedKindsMax = 8;

/**
 * Numbers the kinds of items, in the order in which their first items came; items that agree in some fields are of one kind. A
 * subclass has the rule as methods, which V8 inlines, unlike functions that are handed in.
 */
export abstract class KindNumbers<Item> {
  readonly #firsts: Item[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #numbersByGroup = new Map<string, readonly number[]>();

  /** The first item of each kind. */
  get firsts(): readonly Item[] {
    return this.#firsts;
  }

  /** The number of an item's kind, from 1; a new kind gets the next one. */
  numberOf(item: Item): number {
    const group = this.groupOf(item);
    const alike = this.#numbersByGroup.get(group) ?? [];
    const compared = Math.min(alike.length, comparedKindsMax);
    for (let at = 0; at < compared; at += 1) {
      const number = alike[at] ?? 0;
      const first = this.#firsts[number - 1];
      if (first !== undefined && this.isOfKind(item, first)) return number;
    }
    const key = this.keyOf(item);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#firsts.push(item);
    this.#numbers.set(key, number);
    this.#numbersByGroup.set(group, [...alike, number]);
    return number;
  }

  /** A field with few kinds for each value. */
  protected abstract groupOf(item: Item): string;

  /** Whether an item agrees with the first one of a kind, which takes less time than to build a key. */
  protected abstract isOfKind(item: Item, first: Item): boolean;

  /** Text that is the same for the items of a kind alone. */
  protected abstract keyOf(item: Item): string;
}

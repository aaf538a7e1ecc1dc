/** Property of a member with its index in the set. */
const place: unique symbol = Symbol("place");

interface Placed {
  [place]?: number | undefined;
}

/**
 * A set whose members live as long as requests; a member is in one such set at a time. A `Map` or `Set` switches to a new table
 * every few members, and V8 keeps the contents of an abandoned table and its successor: once one of these tables is in the old
 * space, all later members, with everything that they refer to, outlive their requests until the next full collection.
 */
export class ArraySet<T extends object> {
  readonly #members: (T & Placed)[] = [];

  get size(): number {
    return this.#members.length;
  }

  has(member: T & Placed): boolean {
    const at = member[place];
    return at !== undefined && this.#members[at] === member;
  }

  add(member: T & Placed): void {
    if (this.has(member)) return;
    member[place] = this.#members.length;
    this.#members.push(member);
  }

  /** @returns whether it was a member */
  delete(member: T & Placed): boolean {
    const at = member[place];
    if (at === undefined || this.#members[at] !== member) return false;
    member[place] = undefined;
    const last = this.#members.pop();
    if (last === undefined || last === member) return true;
    last[place] = at;
    this.#members[at] = last;
    return true;
  }

  members(): readonly T[] {
    return [...this.#members];
  }
}

import type { LogRange } from "../domain/log-query.ts";
import type { LogSpan } from "../domain/log-spans.ts";

/** Collects the conditions of a question, with their values as parameters. */
export class Conditions {
  readonly #texts: string[] = [];
  readonly #values: unknown[] = [];

  get values(): readonly unknown[] {
    return this.#values;
  }

  /** `WHERE …`, or nothing. */
  get text(): string {
    return this.#texts.length === 0 ? "" : `WHERE ${this.#texts.join(" AND ")}`;
  }

  /** @param toText makes the condition of the parameter's name */
  add(toText: (parameter: string) => string, value: unknown): void {
    this.#texts.push(toText(this.#parameter(value)));
  }

  inRange({ since, until, before }: LogRange): void {
    if (since !== undefined) this.add((value) => `at >= ${value}::timestamptz`, since.toISOString());
    if (until !== undefined) this.add((value) => `at < ${value}::timestamptz`, until.toISOString());
    if (before !== undefined) this.addPosition(["at", "id"], new Date(before.atMs), before.id);
  }

  /** Rows whose column is in a span. */
  inSpan(column: string, { fromMs, toMs }: LogSpan): void {
    this.add((value) => `${column} >= ${value}::timestamptz`, new Date(fromMs).toISOString());
    this.add((value) => `${column} < ${value}::timestamptz`, new Date(toMs).toISOString());
  }

  /** Rows after a position in the order of time and id, newest first. */
  addPosition([atColumn, idColumn]: readonly [at: string, id: string], at: Date, id: string): void {
    const moment = this.#parameter(at.toISOString());
    this.add((value) => `(${atColumn}, ${idColumn}) < (${moment}::timestamptz, ${value}::bigint)`, id);
  }

  /**
   * Rows whose columns, compared in their order, are from one list of values to the other: one span of an index of these columns.
   * Both ends are included, because Postgres estimates the span by its first column alone: by `<` it would take all rows that have the
   * same value there for none, and may sort them all.
   */
  addSpan(
    columns: readonly (readonly [name: string, type: string])[],
    { first, last }: { readonly first: readonly unknown[]; readonly last: readonly unknown[] },
  ): void {
    const names = columns.map(([name]) => name).join(", ");
    const row = (values: readonly unknown[]) =>
      columns.map(([, type], place) => `${this.#parameter(values[place])}::${type}`).join(", ");
    this.#texts.push(`(${names}) >= (${row(first)})`, `(${names}) <= (${row(last)})`);
  }

  /** Columns that have the values at one place of the lists. */
  addOneOf(columns: readonly string[], lists: readonly (readonly [type: string, values: readonly string[]])[]): void {
    const parameters = lists.map(([type, values]) => `${this.#parameter(values)}::${type}[]`);
    this.#texts.push(`(${columns.join(", ")}) IN (SELECT * FROM unnest(${parameters.join(", ")}))`);
  }

  #parameter(value: unknown): string {
    return `$${this.#values.push(value)}`;
  }
}

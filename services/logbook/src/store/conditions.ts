import type { LogRange } from "../domain/log-query.ts";

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
    if (before === undefined) return;
    const at = this.#parameter(new Date(before.atMs).toISOString());
    this.add((id) => `(at, id) < (${at}::timestamptz, ${id}::bigint)`, before.id);
  }

  #parameter(value: unknown): string {
    return `$${this.#values.push(value)}`;
  }
}

import type { GatewayError } from "@gatehouse/errors";
import { malformed } from "@gatehouse/dialects";
import { type MediaPart, readMedia, writeTextFile } from "./media.ts";
import { type Shape, texts } from "./shape.ts";

/** Arrays and objects inside one another; the parser of bodies permits fewer. */
const depthMax = 256;

/** Sees everything that a value holds, in a fixed order, and says what is to stand in its place. */
export interface ContentVisitor {
  /** A caller's string. */
  text(text: string): string;
  /** A caller's number, one that a JavaScript number holds. */
  number(value: number): string | number;
  /** A caller's name of a member. */
  name(name: string): string;
  /** Names of the protocol, and values that are no text: `true`, `null`, an empty list. */
  constant?(text: string): void;
  media?(part: MediaPart): void;
}

/** Values and names that are walked in one step: a fraction of a millisecond. */
const stepValues = 512;

/** Walks a value by its shape, in steps. What does not change stays the same object. @throws GatewayError `malformed_body` */
export function* walkContentInSteps<T>(value: T, shape: Shape, visitor: ContentVisitor): Generator<void, T> {
  const walk = new Walk(visitor);
  return (isContainer(value) ? yield* walk.container(value, shape) : walk.scalar(value, { shape })) as T;
}

type Members = Readonly<Record<string, unknown>>;
type Container = Members | readonly unknown[];

interface Place {
  readonly shape: Shape;
  /** The object that the value is a member of. */
  readonly owner?: Members;
}

class Walk {
  readonly #visitor: ContentVisitor;
  #depth = 0;
  #seen = 0;

  constructor(visitor: ContentVisitor) {
    this.#visitor = visitor;
  }

  *container(value: Container, shape: Shape): Generator<void, Container> {
    if (this.#depth >= depthMax) throw malformed(`Request body must not be nested more than ${depthMax} levels deep.`);
    this.#depth += 1;
    this.#visitor.constant?.("[]");
    const walked = isList(value) ? yield* this.#list(value, shape) : yield* this.#object(value, shape);
    this.#depth -= 1;
    return walked;
  }

  scalar(value: unknown, { shape, owner }: Place): unknown {
    if (typeof value === "string") return this.#string(value, shape, owner);
    if (typeof value === "number") return this.#number(value, shape);
    this.#visitor.constant?.(String(value));
    return value;
  }

  #string(text: string, shape: Shape, owner: Members | undefined): string {
    if (shape.constants?.has(text) === true) {
      this.#visitor.constant?.(text);
      return text;
    }
    const { media: kind } = shape;
    if (kind === undefined) return this.#visitor.text(text);
    const reading = readMedia(text, kind);
    const detail = owner?.["detail"];
    const sizeBytes = reading.kind === "payload" ? reading.sizeBytes : 0;
    this.#visitor.media?.({ kind, sizeBytes, detail: typeof detail === "string" ? detail : undefined });
    if (reading.kind === "payload") return text;
    if (reading.kind === "text") return this.#visitor.text(text);
    if (reading.kind === "unclear") {
      const asWritten = this.#visitor.text(text);
      const decoded = this.#visitor.text(reading.text);
      return decoded === reading.text ? asWritten : reading.write(decoded);
    }
    const masked = this.#visitor.text(reading.text);
    return masked === reading.text ? text : writeTextFile(reading.header, masked);
  }

  #number(value: number, shape: Shape): string | number {
    if (!isExact(value) && shape.mayRound !== true) throw inexact(value);
    if (shape.isConstant?.(value) !== true) return this.#visitor.number(value);
    this.#visitor.constant?.(String(value));
    return value;
  }

  *#list(list: readonly unknown[], { items = texts }: Shape): Generator<void, readonly unknown[]> {
    let changed: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      if (this.#isRestDue) yield;
      const walked = isContainer(item) ? yield* this.container(item, items) : this.scalar(item, { shape: items });
      if (walked === item) continue;
      changed ??= [...list];
      changed[index] = walked;
    }
    return changed ?? list;
  }

  *#object(members: Members, shape: Shape): Generator<void, Members> {
    const names = Object.keys(members);
    const entries: [string, unknown][] = [];
    let hasChanged = false;
    for (const name of names) {
      if (this.#isRestDue) yield;
      const field = shape.fields?.get(name);
      const isOwn = field !== undefined || shape.isName?.(name) === true;
      if (isOwn) this.#visitor.constant?.(name);
      const newName = isOwn ? name : this.#visitor.name(name);
      const value = members[name];
      const place = { shape: field ?? shape.others ?? texts, owner: members };
      const walked = isContainer(value) ? yield* this.container(value, place.shape) : this.scalar(value, place);
      hasChanged ||= newName !== name || walked !== value;
      entries.push([newName, walked]);
    }
    return hasChanged ? yield* fromEntriesInSteps(entries) : members;
  }

  get #isRestDue(): boolean {
    this.#seen += 1;
    return this.#seen % stepValues === 0;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isList(value: Container): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether JSON.stringify writes the number that JSON.parse was given, as far as that can still be seen. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value));
}

function inexact(value: number): GatewayError {
  return malformed(
    `Request body holds a number of about ${value}, which cannot be kept to the digit: numbers must be from ` +
      `${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}. Send a longer one as a string.`,
  );
}

/** Names that have become the same get a number each, so that nothing is lost. */
function* fromEntriesInSteps(entries: readonly (readonly [string, unknown])[]): Generator<void, Members> {
  const counts = new Map<string, number>();
  const unique = new Map<string, unknown>();
  for (const [name, value] of entries) {
    let count = counts.get(name) ?? 0;
    let free = name;
    while (unique.has(free)) free = `${name} ${(count += 1) + 1}`;
    counts.set(name, count);
    unique.set(free, value);
    if (unique.size % stepValues === 0) yield;
  }
  return Object.fromEntries(unique);
}

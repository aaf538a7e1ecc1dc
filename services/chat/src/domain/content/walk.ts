import type { GatewayError } from "@gatehouse/errors";
import { malformed } from "../chat-request.ts";
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
  /** What the protocol names itself, and values that are no text: `true`, `null`, an empty list. */
  constant?(text: string): void;
  media?(part: MediaPart): void;
}

/** Walks a value by its shape. What does not change stays the same object. @throws GatewayError `malformed_body` */
export function walkContent<T>(value: T, shape: Shape, visitor: ContentVisitor): T {
  return new Walk(visitor).value(value, shape, undefined) as T;
}

type Members = Readonly<Record<string, unknown>>;

class Walk {
  readonly #visitor: ContentVisitor;
  #depth = 0;

  constructor(visitor: ContentVisitor) {
    this.#visitor = visitor;
  }

  /** @param owner the object that the value is a member of. */
  value(value: unknown, shape: Shape, owner: Members | undefined): unknown {
    if (typeof value === "string") return this.#string(value, shape, owner);
    if (typeof value === "number") return this.#number(value, shape);
    if (typeof value !== "object" || value === null) {
      this.#visitor.constant?.(String(value));
      return value;
    }
    if (this.#depth >= depthMax) throw malformed(`Request body must not be nested more than ${depthMax} levels deep.`);
    this.#depth += 1;
    this.#visitor.constant?.("[]");
    const walked = Array.isArray(value) ? this.#list(value, shape) : this.#object(value as Members, shape);
    this.#depth -= 1;
    return walked;
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
    const masked = this.#visitor.text(reading.text);
    return masked === reading.text ? text : writeTextFile(reading.header, masked);
  }

  #number(value: number, shape: Shape): string | number {
    if (!isExact(value) && shape.mayRound !== true) throw inexact(value);
    if (shape.isConstant?.(value) !== true) return this.#visitor.number(value);
    this.#visitor.constant?.(String(value));
    return value;
  }

  #list(list: readonly unknown[], { items = texts }: Shape): readonly unknown[] {
    let changed: unknown[] | undefined;
    for (const [index, item] of list.entries()) {
      const walked = this.value(item, items, undefined);
      if (walked === item) continue;
      changed ??= [...list];
      changed[index] = walked;
    }
    return changed ?? list;
  }

  #object(members: Members, shape: Shape): Members {
    const names = Object.keys(members);
    const entries: [string, unknown][] = [];
    let hasChanged = false;
    for (const name of names) {
      const field = shape.fields?.get(name);
      const isOwn = field !== undefined || shape.isName?.(name) === true;
      if (isOwn) this.#visitor.constant?.(name);
      const newName = isOwn ? name : this.#visitor.name(name);
      const value = members[name];
      const walked = this.value(value, field ?? shape.others ?? texts, members);
      hasChanged ||= newName !== name || walked !== value;
      entries.push([newName, walked]);
    }
    return hasChanged ? fromEntries(entries) : members;
  }
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

/** Names that have become the same are told apart by a number, so that nothing is lost. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): Members {
  const counts = new Map<string, number>();
  const unique = new Map<string, unknown>();
  for (const [name, value] of entries) {
    let count = counts.get(name) ?? 0;
    let free = name;
    while (unique.has(free)) free = `${name} ${(count += 1) + 1}`;
    counts.set(name, count);
    unique.set(free, value);
  }
  return Object.fromEntries(unique);
}

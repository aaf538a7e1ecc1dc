import { malformed } from "@gatehouse/dialects";
import { runAtOnce } from "@gatehouse/pace";
import { type MediaPart, readMedia, writeTextFile } from "./media.ts";
import { type Shape, texts } from "./shape.ts";

/** Deepest nesting of arrays and objects; the parser of bodies permits less. */
const depthMax = 256;

/** Receives everything in a value in a fixed order, and returns replacements. */
export interface ContentVisitor {
  /** @param isAside whether it is neither content of a message nor in the place of media */
  text(text: string, isAside: boolean): string;
  /** A caller's number. */
  number(value: number): string | number;
  /** Called before a number that may not be as it was written, except for bounds in schemas, which may be rounded. */
  inexact?(value: number): void;
  name(name: string): string;
  /** Names of the protocol, and values that are not text: `true`, `null`, an empty list. */
  constant?(text: string): void;
  media?(part: MediaPart): void;
  /**
   * Called before texts that may belong to a tool, until {@link leaveTool}.
   * @param owner object with the tool's name
   * @returns value for `leaveTool`
   */
  enterTool?(owner: Members, member: string): string | undefined;
  leaveTool?(outer: string | undefined): void;
}

/** Values and names walked in one step: a fraction of a millisecond. */
const stepValues = 512;
/** Largest container that is walked without a generator, in values, nested ones included: most of a small generator is garbage. */
const lightValuesMax = 64;

/** Object of a request or reply with unchecked members: parsed JSON, of which only the nesting is bounded. */
export type Members = Readonly<Record<string, unknown>>;
type Container = Members | readonly unknown[];

/** Walks values by their shapes for one visitor. Unchanged values stay the same object. */
export class ContentWalk {
  readonly #visitor: ContentVisitor;
  #depth = 0;
  /** Values and names in the current step. */
  #seen = 0;

  constructor(visitor: ContentVisitor) {
    this.#visitor = visitor;
  }

  /** Walks a value in steps; a light one within a step. @throws GatewayError `malformed_body` */
  *inSteps<T extends object>(value: T, shape: Shape): Generator<void, T> {
    const container = value as Container;
    const isLight = countValues(container) <= lightValuesMax;
    const walked = isLight ? this.#light(container, shape) : yield* this.#heavy(container, shape);
    if (this.#takeRest()) yield;
    return walked as T;
  }

  #light(value: Container, shape: Shape): Container {
    this.#enter();
    const walked = isList(value) ? this.#lightList(value, shape) : this.#lightObject(value, shape);
    this.#depth -= 1;
    return walked;
  }

  *#heavy(value: Container, shape: Shape): Generator<void, Container> {
    this.#enter();
    const walked = isList(value) ? yield* this.#heavyList(value, shape) : yield* this.#heavyObject(value, shape);
    this.#depth -= 1;
    return walked;
  }

  #enter(): void {
    if (this.#depth >= depthMax) throw malformed(`Request body must not be nested more than ${depthMax} levels deep.`);
    this.#depth += 1;
    this.#visitor.constant?.("[]");
  }

  #scalar(value: unknown, shape: Shape, owner?: Members): unknown {
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
    if (kind === undefined) return this.#visitor.text(text, shape.isContent !== true);
    const reading = readMedia(text, kind);
    const detail = owner?.["detail"];
    const sizeBytes = reading.kind === "payload" ? reading.sizeBytes : 0;
    this.#visitor.media?.({ kind, sizeBytes, detail: typeof detail === "string" ? detail : undefined });
    if (reading.kind === "payload") return text;
    if (reading.kind === "text") return this.#visitor.text(text, false);
    if (reading.kind === "unclear") {
      const asWritten = this.#visitor.text(text, false);
      const decoded = this.#visitor.text(reading.text, false);
      return decoded === reading.text ? asWritten : reading.write(decoded);
    }
    const masked = this.#visitor.text(reading.text, false);
    return masked === reading.text ? text : writeTextFile(reading.header, masked);
  }

  #number(value: number, shape: Shape): string | number {
    if (!isExact(value) && shape.mayRound !== true) this.#visitor.inexact?.(value);
    if (shape.isConstant?.(value) !== true) return this.#visitor.number(value);
    this.#visitor.constant?.(String(value));
    return value;
  }

  #lightList(list: readonly unknown[], { items = texts }: Shape): readonly unknown[] {
    let changed: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      this.#seen += 1;
      const walked = isContainer(item) ? this.#light(item, items) : this.#scalar(item, items);
      if (walked !== item) (changed ??= [...list])[index] = walked;
    }
    return changed ?? list;
  }

  *#heavyList(list: readonly unknown[], { items = texts }: Shape): Generator<void, readonly unknown[]> {
    let changed: unknown[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      this.#seen += 1;
      if (this.#takeRest()) yield;
      const walked = isContainer(item) ? yield* this.inSteps(item, items) : this.#scalar(item, items);
      if (walked !== item) (changed ??= [...list])[index] = walked;
    }
    return changed ?? list;
  }

  #lightObject(members: Members, shape: Shape): Members {
    let changed: [string, unknown][] | undefined;
    let isRenamed = false;
    const names = Object.keys(members);
    const { toolMembers } = shape;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? "";
      const inner = shapeOfMember(shape, name);
      const newName = this.#name(name, shape);
      const value = members[name];
      const isOfTool = toolMembers?.has(name) === true;
      const outer = isOfTool ? this.#visitor.enterTool?.(members, name) : undefined;
      const walked = isContainer(value) ? this.#light(value, inner) : this.#scalar(value, inner, members);
      if (isOfTool) this.#visitor.leaveTool?.(outer);
      isRenamed ||= newName !== name;
      if (changed === undefined && newName === name && walked === value) continue;
      (changed ??= entriesBefore(members, names, index)).push([newName, walked]);
    }
    if (changed === undefined) return members;
    return isRenamed ? runAtOnce(fromEntriesInSteps(changed)) : Object.fromEntries(changed);
  }

  *#heavyObject(members: Members, shape: Shape): Generator<void, Members> {
    let changed: [string, unknown][] | undefined;
    let isRenamed = false;
    const names = Object.keys(members);
    const { toolMembers } = shape;
    for (let index = 0; index < names.length; index += 1) {
      if (this.#takeRest()) yield;
      const name = names[index] ?? "";
      const inner = shapeOfMember(shape, name);
      const newName = this.#name(name, shape);
      const value = members[name];
      const isOfTool = toolMembers?.has(name) === true;
      const outer = isOfTool ? this.#visitor.enterTool?.(members, name) : undefined;
      const walked = isContainer(value) ? yield* this.inSteps(value, inner) : this.#scalar(value, inner, members);
      if (isOfTool) this.#visitor.leaveTool?.(outer);
      isRenamed ||= newName !== name;
      if (changed === undefined && newName === name && walked === value) continue;
      (changed ??= entriesBefore(members, names, index)).push([newName, walked]);
    }
    if (changed === undefined) return members;
    return isRenamed ? yield* fromEntriesInSteps(changed) : Object.fromEntries(changed);
  }

  #name(name: string, shape: Shape): string {
    this.#seen += 1;
    if (shape.fields?.has(name) !== true && shape.isName?.(name) !== true) return this.#visitor.name(name);
    this.#visitor.constant?.(name);
    return name;
  }

  /** Whether the step is full; starts the next one then. */
  #takeRest(): boolean {
    if (this.#seen < stepValues) return false;
    this.#seen = 0;
    return true;
  }
}

function shapeOfMember({ fields, others }: Shape, name: string): Shape {
  return fields?.get(name) ?? others ?? texts;
}

/** Members before `index`, which have not changed. */
function entriesBefore(members: Members, names: readonly string[], index: number): [string, unknown][] {
  return names.slice(0, index).map((name) => [name, members[name]]);
}

/** Values of a container, nested ones included; stops beyond {@link lightValuesMax}. */
function countValues(value: Container, before = 0): number {
  let count = before + 1;
  if (isList(value)) {
    for (let index = 0; index < value.length && count <= lightValuesMax; index += 1)
      count = countOf(value[index], count);
    return count;
  }
  for (const name in value) {
    if (count > lightValuesMax) break;
    count = countOf(value[name], count);
  }
  return count;
}

function countOf(item: unknown, before: number): number {
  return isContainer(item) ? countValues(item, before) : before + 1;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isList(value: Container): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Whether a number is written as it was read, as far as can be determined after parsing. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value));
}

/** Names that have become equal are numbered, so that none is lost. */
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

/** Kind of the media at a place of a request, which decides the data URLs that are read as payloads there. */
export type MediaKind = "image" | "audio" | "video" | "file";

/**
 * The protocol's rules for one place in a request: names and values that belong to the protocol, so that only the rest is a
 * caller's text. A place without a shape holds texts only, names included.
 */
export interface Shape {
  /** Strings that belong to the protocol. */
  readonly constants?: ReadonlySet<string>;
  /** Whether a number belongs to the protocol and is never read as text. */
  readonly isConstant?: (value: number) => boolean;
  /** Whether a number may be rounded, because it limits a model's output and is not read by it. */
  readonly mayRound?: true;
  /** Members named by the protocol. */
  readonly fields?: ReadonlyMap<string, Shape>;
  /** Whether a name outside of {@link fields} belongs to the protocol. */
  readonly isName?: (name: string) => boolean;
  /** Shape of other members; their names are texts. */
  readonly others?: Shape;
  readonly items?: Shape;
  /** Whether a string here is content of its message, and neither a name nor an addition. */
  readonly isContent?: true;
  /** Kind of the base64 payload that may be here. */
  readonly media?: MediaKind;
  /** Members that may hold a tool's arguments, its result or its name. */
  readonly toolMembers?: ReadonlySet<string>;
}

/** A place unknown to the protocol. */
export const texts: Shape = {};

/** A place with fixed values, alone or as a list. */
export function oneOf(...constants: readonly string[]): Shape {
  const shape = { constants: new Set(constants) };
  return { ...shape, items: shape };
}

/** The content of a message. */
export const content: Shape = { isContent: true };

/** An object with these members; others are text of the caller. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  return { fields: new Map(Object.entries(fields)) };
}

/** An object with members that may belong to a tool. */
export function ofTool(shape: Shape, ...members: readonly string[]): Shape {
  return { ...shape, toolMembers: new Set(members) };
}

/** The shape with some of its members' shapes replaced. */
export function withFields(shape: Shape, fields: Readonly<Record<string, Shape>>): Shape {
  return { ...shape, fields: new Map([...(shape.fields ?? []), ...Object.entries(fields)]) };
}

/** A list whose members have the given shape; the list itself has no names or values of the protocol. */
export function listOf(items: Shape): Shape {
  return { items };
}

/** An object whose names are the caller's. */
export function mapOf(others: Shape): Shape {
  return { others };
}

/** Longest number of the protocol, in characters; longer ones could be a card, a phone or an account. */
const protocolNumberLengthMax = 7;

/** A place for a short number, such as a temperature or a limit. */
export const smallNumber: Shape = { isConstant: isSmall };

/** Whether a number is too short to carry personal data. */
export function isSmall(value: number): boolean {
  return String(value).length <= protocolNumberLengthMax;
}

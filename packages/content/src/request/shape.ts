/** Kind of a base64 payload at one place. */
export type MediaKind = "image" | "audio" | "video" | "file";

/**
 * The protocol's rules for one place in a request: which names and values there are its own, so that only the rest is a caller's
 * text. A place without a shape holds texts only, names included.
 */
export interface Shape {
  /** Strings that are the protocol's own at this place. */
  readonly constants?: ReadonlySet<string>;
  /** Whether a number is one that the protocol expects at this place and that is never read as text. */
  readonly isConstant?: (value: number) => boolean;
  /** Whether a number may be rounded here, because it limits what a model writes and is not read by it. */
  readonly mayRound?: true;
  /** Members that the protocol names; the names are its own. */
  readonly fields?: ReadonlyMap<string, Shape>;
  /** Names that are the protocol's own beside {@link fields}. */
  readonly isName?: (name: string) => boolean;
  /** Shape of members that are not named; their names are texts. */
  readonly others?: Shape;
  readonly items?: Shape;
  /** A base64 payload may stand here. */
  readonly media?: MediaKind;
  /** Members that may hold a tool's arguments or its result, and those that name it. */
  readonly toolMembers?: ReadonlySet<string>;
}

/** A place that the protocol says nothing of. */
export const texts: Shape = {};

/** A place with fixed values, alone or as a list. */
export function oneOf(...constants: readonly string[]): Shape {
  const shape = { constants: new Set(constants) };
  return { ...shape, items: shape };
}

/** An object with these members; others count as text of the caller. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  return { fields: new Map(Object.entries(fields)) };
}

/** An object of which some members may be a tool's. */
export function ofTool(shape: Shape, ...members: readonly string[]): Shape {
  return { ...shape, toolMembers: new Set(members) };
}

/** The shape with others in place of some of its members'. */
export function withFields(shape: Shape, fields: Readonly<Record<string, Shape>>): Shape {
  return { ...shape, fields: new Map([...(shape.fields ?? []), ...Object.entries(fields)]) };
}

/** A list whose members all have one shape. */
export function listOf(items: Shape): Shape {
  return { items };
}

/** Values of callers' own names. */
export function mapOf(others: Shape): Shape {
  return { others };
}

/** Digits, sign and point of a number that the protocol expects; longer ones could be a card, a phone or an account. */
const protocolNumberLengthMax = 7;

/** A place for a short number, such as a temperature or a limit. */
export const smallNumber: Shape = { isConstant: isSmall };

/** Whether a number is too short to carry personal data. */
export function isSmall(value: number): boolean {
  return String(value).length <= protocolNumberLengthMax;
}

import type { Expression, MemberExpression, NewExpression, VisitorObject } from "oxc-parser";

/** Code that depends on more than its arguments: a clock, chance, the process, the network, or waiting. */
export interface Effect {
  readonly line: number;
  /** As written: `Date.now`, `async`. */
  readonly name: string;
}

/** Globals whose members all read or change something outside. */
const objects: ReadonlySet<string> = new Set(["console", "crypto", "performance", "process"]);

const members: ReadonlySet<string> = new Set(["Date.now", "Math.random"]);

const functions: ReadonlySet<string> = new Set([
  "fetch",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

/** Calls `add` for each effect by a global, and for each async function. */
export function visitEffects(add: (name: string, start: number) => void): VisitorObject {
  const addAsync = ({ async, start }: { readonly async: boolean; readonly start: number }) => {
    if (async) add("async", start);
  };
  return {
    ArrowFunctionExpression: addAsync,
    FunctionDeclaration: addAsync,
    FunctionExpression: addAsync,
    CallExpression({ callee, start }) {
      if (callee.type === "Identifier" && functions.has(callee.name)) add(callee.name, start);
    },
    MemberExpression(member) {
      const name = globalMember(member);
      if (name !== undefined) add(name, member.start);
    },
    NewExpression(made) {
      if (isPresentTime(made)) add("new Date()", made.start);
    },
  };
}

function globalMember(member: MemberExpression): string | undefined {
  const object: Expression = member.object;
  if (object.type !== "Identifier" || member.computed || member.property.type !== "Identifier") return undefined;
  const name = `${object.name}.${member.property.name}`;
  return objects.has(object.name) || members.has(name) ? name : undefined;
}

function isPresentTime({ callee, arguments: given }: NewExpression): boolean {
  return callee.type === "Identifier" && callee.name === "Date" && given.length === 0;
}

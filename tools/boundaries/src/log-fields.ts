import type { Expression, ObjectExpression, VisitorObject } from "oxc-parser";

/** Field of a log entry: a key of the first argument of `log.warn({ … }, "…")`. */
export interface LogField {
  readonly name: string;
  readonly line: number;
}

const levels: ReadonlySet<string> = new Set(["debug", "error", "fatal", "info", "trace", "warn"]);
const loggers: ReadonlySet<string> = new Set(["log", "logger"]);

/**
 * Calls `add` for each key of a logger's first argument, including an object in a constant; for the rest of another object, whose
 * keys the file does not name, with `...` before its name.
 */
export function visitLogFields(add: (name: string, start: number) => void): VisitorObject {
  const objects = new Map<string, ObjectExpression>();
  const rests = new Set<string>();
  const addKeys = (value: Expression | undefined): void => {
    if (value?.type === "Identifier" && rests.has(value.name)) add(`...${value.name}`, value.start);
    else if (value?.type === "Identifier") addKeys(objects.get(value.name));
    else if (value?.type === "ParenthesizedExpression") addKeys(value.expression);
    else if (value?.type === "ConditionalExpression") [value.consequent, value.alternate].forEach(addKeys);
    else if (value?.type === "LogicalExpression") [value.left, value.right].forEach(addKeys);
    if (value?.type !== "ObjectExpression") return;
    for (const property of value.properties) {
      if (property.type === "SpreadElement") addKeys(property.argument);
      else if (property.key.type === "Literal") add(String(property.key.value), property.start);
      else if (property.key.type === "Identifier" && !property.computed) add(property.key.name, property.start);
    }
  };
  return {
    VariableDeclarator({ id, init }) {
      if (id.type === "Identifier" && init?.type === "ObjectExpression") objects.set(id.name, init);
      if (id.type !== "ObjectPattern") return;
      for (const property of id.properties) {
        if (property.type === "RestElement" && property.argument.type === "Identifier")
          rests.add(property.argument.name);
      }
    },
    CallExpression({ callee, arguments: [fields] }) {
      if (!isLogCall(callee) || fields?.type === "SpreadElement") return;
      addKeys(fields);
    },
  };
}

/** `log.warn`, `this.#log.warn`, `telemetry.log[level]` and `log.child`. */
function isLogCall(callee: Expression): boolean {
  if (callee.type !== "MemberExpression" || !loggers.has(nameOf(callee.object))) return false;
  return callee.computed || levels.has(nameOf(callee)) || nameOf(callee) === "child";
}

function nameOf(expression: Expression): string {
  if (expression.type === "Identifier") return expression.name;
  if (expression.type !== "MemberExpression" || expression.computed) return "";
  const { property } = expression;
  return property.type === "Identifier" || property.type === "PrivateIdentifier" ? property.name : "";
}

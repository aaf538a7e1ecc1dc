import type { BindingPattern, Declaration, ModuleExportName, VisitorObject } from "oxc-parser";

/** Value that a file exports, by its exported name; `line` counts from 1. */
export interface Export {
  readonly name: string;
  readonly line: number;
}

/** Calls `add` for each value that a file exports or re-exports; types are erased and do not count. */
export function visitExports(add: (name: string, start: number) => void): VisitorObject {
  return {
    ExportNamedDeclaration({ declaration, specifiers, exportKind, start }) {
      if (exportKind === "type") return;
      for (const name of declaration === null ? [] : declaredNames(declaration)) add(name, start);
      for (const entry of specifiers) if (entry.exportKind !== "type") add(exportedName(entry.exported), entry.start);
    },
  };
}

function declaredNames(declaration: Declaration): readonly string[] {
  if (declaration.type === "VariableDeclaration") return declaration.declarations.flatMap(({ id }) => boundNames(id));
  if (declaration.type !== "FunctionDeclaration" && declaration.type !== "ClassDeclaration") return [];
  return declaration.id === null ? [] : [declaration.id.name];
}

function boundNames(pattern: BindingPattern): readonly string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type === "AssignmentPattern") return boundNames(pattern.left);
  const parts = pattern.type === "ObjectPattern" ? pattern.properties : pattern.elements;
  return parts.flatMap((part) => {
    if (part === null) return [];
    if (part.type === "RestElement") return boundNames(part.argument);
    return boundNames(part.type === "Property" ? part.value : part);
  });
}

function exportedName(name: ModuleExportName): string {
  return name.type === "Literal" ? name.value : name.name;
}

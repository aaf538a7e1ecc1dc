import { type Import, readSource, type SourceFacts } from "./read-source.ts";
import { resolveImport, type Target } from "./resolve.ts";
import { layerOf, parsedFilePattern, roleOf, type SourceRole } from "./source-role.ts";
import { findWorkspace, readWorkspaces, type Workspace } from "./workspace.ts";

/** File that git tracks or would track; ignored ones, such as generated code, are absent. */
export interface RepositoryFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Undefined for a binary file, or one over the size limit. */
  readonly text: string | undefined;
}

/** An import with the file or package that it resolves to. */
export interface ResolvedImport extends Import {
  readonly target: Target;
}

/** A file of a workspace: its place and its facts. */
export interface SourceFile extends Omit<SourceFacts, "imports"> {
  readonly path: string;
  readonly workspace: Workspace;
  readonly role: SourceRole;
  /** Layer inside `src` of a service: `domain`, `store`, …, or the name of a file such as `app`; "" outside `src`. */
  readonly layer: string;
  readonly imports: readonly ResolvedImport[];
}

/** The model for all rules. */
export interface Repository {
  readonly files: readonly RepositoryFile[];
  readonly workspaces: readonly Workspace[];
  readonly sources: readonly SourceFile[];
}

/** Builds the model from the files' texts alone. */
export function buildRepository(files: readonly RepositoryFile[]): Repository {
  const workspaces = readWorkspaces(files);
  const sources = files.flatMap(({ path, text }) => {
    if (text === undefined || !parsedFilePattern.test(path)) return [];
    const workspace = findWorkspace(workspaces, path);
    return workspace === undefined ? [] : [buildSource({ path, text, workspace }, workspaces)];
  });
  return { files, workspaces, sources };
}

interface SourceText {
  readonly path: string;
  readonly text: string;
  readonly workspace: Workspace;
}

function buildSource({ path, text, workspace }: SourceText, workspaces: readonly Workspace[]): SourceFile {
  const { imports, ...facts } = readSource(path, text);
  return {
    ...facts,
    path,
    workspace,
    role: roleOf(path, workspace),
    layer: layerOf(path, workspace),
    imports: imports.map((found) => ({ ...found, target: resolveImport(found.specifier, path, workspaces) })),
  };
}

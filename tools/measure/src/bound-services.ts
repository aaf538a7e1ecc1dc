import type { TextFile } from "./tree.ts";

/** Services without a gRPC port, whose bindings are unreachable. */
const withoutPort = new Set(["services/router"]);
const bindingCall = /\bbindRpc\((\w+)Definition\b/g;
const exportedFunction = /^export (?:async )?function (\w+)/gm;
const productFile = /^(?:packages|services)\/[^/]+\/src\/.*(?<!\.test)\.ts$/;

interface UnnamedService {
  readonly readme: string;
  /** Such as `gatehouse.chat.v1.ChatService`. */
  readonly service: string;
}

/**
 * gRPC services that a service binds, directly or through an exported function of a package, and that its README does not name in
 * full, alone or with a method.
 */
export function findUnnamedServices(files: readonly TextFile[]): readonly UnnamedService[] {
  const sources = files.filter(({ path }) => productFile.test(path));
  const fullNames = readFullNames(files);
  const binders = sources.filter(({ path }) => path.startsWith("packages/")).flatMap(findBinders);
  const readmes = files.filter(({ path }) => /^services\/[^/]+\/README\.md$/.test(path));
  return readmes.flatMap(({ path: readme, text }) => {
    const folder = readme.slice(0, readme.lastIndexOf("/"));
    const own = sources.filter(({ path }) => path.startsWith(`${folder}/`));
    return (withoutPort.has(folder) ? [] : boundBy(own, binders))
      .map((name) => fullNames.get(name) ?? name)
      .filter((service) => !new RegExp(`\`${service.replaceAll(".", "\\.")}(?:\\.\\w+)?\``).test(text))
      .map((service) => ({ readme, service }));
  });
}

function readFullNames(files: readonly TextFile[]): ReadonlyMap<string, string> {
  const contracts = files.filter(({ path }) => path.endsWith(".proto"));
  return new Map(
    contracts.flatMap(({ text }) => {
      const scope = /^package ([\w.]+);/m.exec(text)?.[1] ?? "";
      return [...text.matchAll(/^service (\w+)/gm)].map(([, name = ""]) => [name, `${scope}.${name}`] as const);
    }),
  );
}

/** A function whose caller binds a gRPC service. */
interface Binder {
  readonly name: string;
  readonly service: string;
}

/** Attributes the call to the last exported function before it. */
function findBinders({ text }: TextFile): readonly Binder[] {
  const functions = [...text.matchAll(exportedFunction)];
  return [...text.matchAll(bindingCall)].flatMap(({ index, 1: service = "" }) => {
    const name = functions.findLast((each) => each.index < index)?.[1];
    return name === undefined ? [] : [{ name, service }];
  });
}

function boundBy(sources: readonly TextFile[], binders: readonly Binder[]): readonly string[] {
  const names = sources.flatMap(({ text }) => [
    ...[...text.matchAll(bindingCall)].map(([, service = ""]) => service),
    ...binders.filter(({ name }) => new RegExp(`\\b${name}\\(`).test(text)).map(({ service }) => service),
  ]);
  return [...new Set(names)].toSorted();
}

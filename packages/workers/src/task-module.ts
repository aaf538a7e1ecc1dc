/** The function that a task module exports as `run`; input and output are copied between threads (structured clone). */
export type Task<Input, Output> = (input: Input) => Output | Promise<Output>;

/**
 * URL of a task module beside the caller: a TypeScript file when running from sources, JavaScript in a build.
 * @param name the file's name without its extension, such as `./count-task`.
 */
export function taskModule(callerUrl: string, name: string): URL {
  return new URL(`${name}${isSource(callerUrl) ? ".ts" : ".js"}`, callerUrl);
}

/** Whether a module runs from its sources; its workspace packages must then be resolved to sources too. */
export function isSource(moduleUrl: string): boolean {
  return moduleUrl.endsWith(".ts");
}

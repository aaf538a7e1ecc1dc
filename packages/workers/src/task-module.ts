/** The function that a task module exports as `run`; input and answer are copied between threads (structured clone). */
export type Task<Input, Output> = (input: Input) => Output | Promise<Output>;

/**
 * The URL of a task module beside the caller: a TypeScript file where the caller runs from its sources, JavaScript where it
 * was built.
 * @param name the file's name without its extension, such as `./count-task`.
 */
export function taskModule(callerUrl: string, name: string): URL {
  return new URL(`${name}${isSource(callerUrl) ? ".ts" : ".js"}`, callerUrl);
}

/** Whether a module runs from its sources; its workspace packages then have to be found there too. */
export function isSource(moduleUrl: string): boolean {
  return moduleUrl.endsWith(".ts");
}

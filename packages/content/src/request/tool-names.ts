import type { ChatMessage } from "@gatehouse/providers";
import type { Members } from "./walk.ts";

/** Longest tool name that patterns see, UTF-16 units; providers accept half as many. */
export const toolNameLengthMax = 128;

/** Whether a message may hold a tool's arguments or result. May be true without any; never false with some. */
export function hasTools({ role, content, tool_calls: calls, function_call: call }: ChatMessage): boolean {
  if (calls !== undefined || call !== undefined || role === "tool" || role === "function") return true;
  return Array.isArray(content) && content.some(isToolPart);
}

function isToolPart(part: unknown): boolean {
  return isMembers(part) && (part["type"] === "tool_use" || part["type"] === "tool_result");
}

/** Finds names of tools for the arguments and results in a request. */
export class ToolNames {
  readonly #messages: readonly ChatMessage[];
  /** Names of called tools by the ids of the calls; computed for the first result. */
  #byId: ReadonlyMap<string, string> | undefined;

  constructor(messages: readonly ChatMessage[]) {
    this.#messages = messages;
  }

  /** The tool that a member of a message, part or call belongs to; undefined where it belongs to none. */
  nameOf(owner: Members, member: string): string | undefined {
    const name = member === "content" ? this.#ofResult(owner) : ofCall(owner, member);
    return typeof name === "string" && name !== "" ? name.slice(0, toolNameLengthMax) : undefined;
  }

  #ofResult({ role, type, name, tool_call_id: callId, tool_use_id: useId }: Members): unknown {
    if (type === "tool_result") return this.#called(useId);
    if (role === "tool") return this.#called(callId) ?? name;
    return role === "function" ? name : undefined;
  }

  #called(id: unknown): string | undefined {
    if (typeof id !== "string") return undefined;
    this.#byId ??= calledTools(this.#messages);
    return this.#byId.get(id);
  }
}

/** A call without arguments is judged by its name, which otherwise is not a text of the tool. */
function ofCall({ type, name, arguments: given, input }: Members, member: string): unknown {
  if (type !== undefined && type !== "tool_use") return undefined;
  return member !== "name" || isEmpty(given ?? input) ? name : undefined;
}

/** Whether a tool's member is a whole value: an object or a list, except the list of a message's parts. */
export function isWholeValue(owner: Members, member: string): boolean {
  const { [member]: value } = owner;
  return isMembers(value) && member !== "name" && !(member === "content" && Array.isArray(value));
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "";
}

/** Names by ids; the last of equal ids counts. */
function calledTools(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = (id: unknown, { name }: Members): void => {
    if (typeof id === "string" && typeof name === "string") names.set(id, name);
  };
  for (const { content, tool_calls: calls } of messages) {
    for (const { id, function: called, custom } of objectsIn(calls)) {
      const tool = called ?? custom;
      if (isMembers(tool)) add(id, tool);
    }
    for (const part of objectsIn(content)) if (part["type"] === "tool_use") add(part["id"], part);
  }
  return names;
}

function objectsIn(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isMembers) : [];
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

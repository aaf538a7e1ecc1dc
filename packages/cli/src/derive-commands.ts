import type { CommandValue, Confirmation, OperationCommand, TableView, ValueKind } from "./command.ts";
import type { ArgumentSchema, Operation } from "./operations.ts";
import { optionNames, type Wording, wordings } from "./wording.ts";

/** Commands for operations with one required flag: `svc_set_webhook_active` is `webhook activate` and `webhook deactivate`. */
const switches: Readonly<Record<string, readonly [on: string, off: string]>> = {
  active: ["activate", "deactivate"],
  enabled: ["enable", "disable"],
};

/** The commands of an operation: one, or two for a switch. */
export function deriveCommands(operation: Operation): readonly OperationCommand[] {
  const { name, description } = operation;
  const wording = wordings[name] ?? {};
  const flag = switchedBy(operation);
  const common = {
    description,
    operation: name,
    ...valuesOf(operation, wording, flag),
    ...tableOf(operation, wording),
  };
  const [verb = "", ...rest] = name.replace(/^svc_/, "").split("_");
  const verbs = flag === undefined ? undefined : switches[rest.at(-1) ?? ""];
  if (flag !== undefined && verbs !== undefined) {
    const topic = rest.slice(0, -1).join("-");
    return verbs.map((word, index) => ({ ...common, path: [topic, word], fixed: { [flag]: index === 0 } }));
  }
  const noun = rest.join("-");
  const path = wording.path ?? ([verb === "list" ? singular(noun) : noun, verb] as const);
  const confirms = wording.confirms ?? (finalVerbs.has(verb) ? toConfirmation(description) : undefined);
  return [{ ...common, path, fixed: {}, ...(confirms === undefined ? {} : { confirms }) }];
}

/** Verbs of operations that cannot be undone. */
const finalVerbs: ReadonlySet<string> = new Set(["delete", "revoke", "rotate"]);

function toConfirmation(description: string): Confirmation {
  return { consequence: firstSentence(description).replace(/\.$/, ""), needsYes: false };
}

/** First sentence of an operation's description, with a full stop. */
export function firstSentence(description: string): string {
  return /^.*?[.:](?=\s|$)/s.exec(description)?.[0].replace(/:$/, ".") ?? description;
}

function switchedBy({ name, inputSchema: { properties = {}, required = [] } }: Operation): string | undefined {
  const flags = required.filter((argument) => typesOf(properties[argument] ?? {}).includes("boolean"));
  return /^svc_set_\w+_(?:active|enabled)$/.test(name) && flags.length === 1 ? flags[0] : undefined;
}

function valuesOf({ name, inputSchema }: Operation, wording: Wording, flag: string | undefined) {
  const { properties = {}, required = [] } = inputSchema;
  const inWords = wording.words ?? required.filter((argument) => isWord(properties[argument] ?? {}));
  const words = inWords.map((argument) =>
    argument === "owner" ? owner : toValue(argument, properties[argument] ?? {}, { isWord: true, isRequired: true }),
  );
  const taken = new Set([flag, ...inWords, ...(inWords.includes("owner") ? ["project", "endpoint"] : [])]);
  const options = Object.entries(properties)
    .filter(([argument]) => !taken.has(argument))
    .flatMap(([argument, schema]) => {
      const value = toValue(argument, schema, { isWord: false, isRequired: required.includes(argument) });
      return value.kind === "targets" ? [value, retries] : [value];
    });
  const isUpdate = name.startsWith("svc_update_") && options.some(({ isNullable = false }) => isNullable);
  return { words, options: isUpdate ? [...options, unset] : options };
}

const owner: CommandValue = {
  name: "owner",
  kind: "owner",
  argument: "owner",
  description: "A project, or an endpoint as project/slug.",
};
const retries: CommandValue = {
  name: "retries",
  kind: "retries",
  argument: "targets",
  description: "Calls of a target again before the next, for each --target.",
};
const unset: CommandValue = {
  name: "unset",
  kind: "unset",
  argument: "unset",
  description: "An option whose setting is taken away, such as monthly-budget-usd; repeatable.",
};

/** Whether an argument is a word: names and ids are; other required arguments are options, whose name explains them. */
function isWord(schema: ArgumentSchema): boolean {
  const types = typesOf(schema);
  const isTextOrId = types.every((type) => type === "string" || type === "integer");
  return isTextOrId && schema.enum === undefined && schema.writeOnly !== true && schema.format !== "date-time";
}

function toValue(
  argument: string,
  schema: ArgumentSchema,
  { isWord: isPlaced, isRequired }: { readonly isWord: boolean; readonly isRequired: boolean },
): CommandValue {
  const kind = kindOf(argument, schema);
  const isNullable = typesOf(schema, true).includes("null");
  const nullWord = isNullable ? nullWordOf(kind, schema) : undefined;
  const choices = choicesOf(schema);
  return {
    name: isPlaced ? toKebabCase(argument) : optionName(argument, kind),
    kind,
    argument,
    description: describe(kind, schema, nullWord),
    ...(choices.length === 0 ? {} : { choices }),
    ...(isRequired && !isPlaced ? { required: true } : {}),
    ...(nullWord === undefined ? {} : { nullWord }),
    ...(isNullable ? { isNullable } : {}),
  };
}

function kindOf(argument: string, { writeOnly, items, ...schema }: ArgumentSchema): ValueKind {
  const [type] = typesOf(schema);
  if (writeOnly === true) return "secret";
  if (type === "array") {
    if (argument === "projects" || argument === "targets") return argument;
    return items?.type === "string" ? "texts" : "json";
  }
  if (type === "string") return argument === "project" || argument === "endpoint" ? argument : "text";
  if (type === "integer" || type === "number") return type;
  return type === "boolean" ? "flag" : "json";
}

function nullWordOf(kind: ValueKind, { format }: ArgumentSchema): string | undefined {
  if (kind === "integer" || kind === "number") return "unlimited";
  if (kind === "texts" || kind === "projects") return "all";
  return format === "date-time" ? "never" : undefined;
}

/** Name of an option, singular where repeatable. */
function optionName(argument: string, kind: ValueKind): string {
  const name = optionNames[argument] ?? toKebabCase(argument);
  if (kind === "secret") return `${name}-from`;
  return kind === "texts" || kind === "projects" || kind === "targets" ? singular(name) : name;
}

const hints: Readonly<Partial<Record<ValueKind, string>>> = {
  texts: "Repeatable",
  projects: "A uuid or name; repeatable",
  project: "A uuid or name",
  endpoint: "A uuid, or project/slug",
  targets: "provider/model; repeatable, in order",
  json: "JSON, or @file",
  secret: "env:NAME, file:PATH or -",
};

function describe(kind: ValueKind, schema: ArgumentSchema, nullWord: string | undefined): string {
  const choices = choicesOf(schema);
  const listed = choices.length === 0 || choices.length > choicesShownMax ? undefined : `One of ${choices.join(", ")}`;
  const word = nullWord === undefined ? undefined : `Or ${nullWord}`;
  const said = [schema.description?.replace(/\.$/, ""), listed, hints[kind], word].filter((part) => part !== undefined);
  return `${said.join(". ")}.`;
}

const choicesShownMax = 12;

function choicesOf(schema: ArgumentSchema): readonly string[] {
  return (schema.enum ?? schema.items?.enum ?? []).filter((choice) => choice !== null).map(String);
}

function tableOf({ name }: Operation, { list, columns }: Wording): { readonly table?: TableView } {
  const listed = list ?? /^svc_list_(\w+)$/.exec(name)?.[1];
  return listed === undefined ? {} : { table: { list: listed, ...(columns === undefined ? {} : { columns }) } };
}

function typesOf({ type = "object" }: ArgumentSchema, withNull = false): readonly string[] {
  const types = typeof type === "string" ? [type] : type;
  return withNull ? types : types.filter((each) => each !== "null");
}

function toKebabCase(argument: string): string {
  return argument.replaceAll("_", "-");
}

function singular(name: string): string {
  return name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.replace(/s$/, "");
}

import type { OperationCommand } from "./command.ts";
import { deriveCommands } from "./derive-commands.ts";
import { operations } from "./operations.ts";
import { topics, withOwnCommand } from "./wording.ts";

const order = Object.keys(topics);

/** All commands that map to one operation, in the order of the help. */
export const commands: readonly OperationCommand[] = operations
  .filter(({ name }) => !withOwnCommand.has(name))
  .flatMap(deriveCommands)
  .toSorted((one, other) => rank(one) - rank(other) || one.path[0].localeCompare(other.path[0]));

/** First words of commands, with their descriptions. */
export const commandTopics: ReadonlyMap<string, string> = new Map(
  commands.map(({ path: [topic] }) => [topic, topics[topic] ?? `Operations on ${topic.replaceAll("-", " ")}.`]),
);

function rank({ path: [topic] }: OperationCommand): number {
  const index = order.indexOf(topic);
  return index === -1 ? order.length : index;
}

import type { CommandValue, OperationCommand } from "./command.ts";
import { toUsageLine } from "./usage-line.ts";

const head = `# Commands

This page lists every command of \`gatehouse\` that calls one operation of the Control Plane. It is generated from the operations' schemas;
\`pnpm commands-page\` renews it. \`gatehouse <topic> <command> --help\` describes each option. [command-line.md](command-line.md) explains how
to use the commands, and \`apply\`, \`export\` and \`call\`.
`;

/** Markdown of docs/commands.md: one section per topic in the map's order, from topic to description. */
export function toCommandsPage(commands: readonly OperationCommand[], topics: ReadonlyMap<string, string>): string {
  const sections = [...topics].map(([topic, description]) => {
    const rows = commands.filter(({ path }) => path[0] === topic).map(toRow);
    return `\n## ${topic}\n${description}\n\n| command | options | operation |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return head + sections.join("");
}

function toRow(command: OperationCommand): string {
  const { options, operation } = command;
  const others = options.filter(({ required = false }) => !required);
  return `| \`${toUsageLine(command)}\` | ${others.map((option) => `\`${toUsage(option)}\``).join(" ")} | \`${operation}\` |`;
}

function toUsage({ name, kind }: CommandValue): string {
  return kind === "flag" ? `--[no-]${name}` : `--${name}`;
}

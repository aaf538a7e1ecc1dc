import { setTimeout } from "node:timers/promises";

await setTimeout(1_000);

export function run(): string {
  return "ready";
}

import { expect, test } from "vitest";
import { commands, commandTopics } from "../src/commands.ts";
import { toCommandsPage } from "../src/commands-page.ts";

test("docs/commands.md lists every command; `pnpm commands-page` renews it", async () => {
  await expect(toCommandsPage(commands, commandTopics)).toMatchFileSnapshot("../../../docs/commands.md");
});

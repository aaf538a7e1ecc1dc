import { readFile } from "node:fs/promises";
import { ControlPlaneClient } from "../control-plane-client.ts";
import type { Product } from "../product.ts";
import type { ListedTool } from "./find-breaks.ts";

/** The checked-in copy of `tools/list`, from which the CLI builds its commands. */
export const copy = new URL("../../../../packages/cli/src/operations.json", import.meta.url);

export async function readCopy(): Promise<readonly ListedTool[]> {
  return JSON.parse(await readFile(copy, "utf8")) as ListedTool[];
}

/** One operation per line, for readable diffs. */
export function toText(tools: readonly ListedTool[]): string {
  return `[\n${tools.map((tool) => JSON.stringify(tool)).join(",\n")}\n]\n`;
}

/** The Control Plane's tools by name. */
export async function readTools(product: Pick<Product, "url" | "adminKey">): Promise<readonly ListedTool[]> {
  const { result, error } = await new ControlPlaneClient(product).request("tools/list");
  if (error !== undefined) throw new Error(error.message);
  const { tools } = result as { readonly tools: readonly ListedTool[] };
  return tools
    .map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Route, routes } from "../src/domain/route-table.ts";

const readme = fileURLToPath(new URL("../README.md", import.meta.url));
const heading = "| id | route | guards, in order | answered by |\n|---|---|---|---|\n";

function toRow(route: Route): string {
  const guards = route.guards.map((guard) => {
    if (guard === "scope" && route.plane === "data") return `scope \`${route.scope}\``;
    if (guard === "project_type" && route.plane === "data") return `type \`${route.projectTypes.join("`, `")}\``;
    return guard.replaceAll("_", " ");
  });
  const methods = route.methods === "any" ? "any method" : route.methods.join(", ");
  const who = route.plane === "public" ? ["public", ...guards] : guards;
  const service = route.plane === "public" ? "router" : route.service;
  return `| \`${route.id}\` | ${methods} \`${route.path}\` | ${who.join(", ")} | ${service} |`;
}

test("the README lists the routes as the table has them", async () => {
  const text = readFileSync(readme, "utf8");
  const start = text.indexOf(heading) + heading.length;
  expect(start).toBeGreaterThan(heading.length);
  const end = text.indexOf("\n\n", start);
  const page = `${text.slice(0, start)}${routes.map(toRow).join("\n")}${text.slice(end)}`;
  await expect(page).toMatchFileSnapshot(readme);
});

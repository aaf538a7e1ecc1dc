import type { Page } from "playwright-core";

/** A node of a page's accessibility tree. */
interface TreePart {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly isIgnored: boolean;
  readonly role: string;
  readonly name: string;
  /** Present for headings. */
  readonly level: number | undefined;
}

interface RawPart {
  readonly nodeId: string;
  readonly parentId?: string;
  readonly ignored: boolean;
  readonly role?: { readonly value?: string };
  readonly name?: { readonly value?: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** Roles of interactive elements. */
const controls: ReadonlySet<string> = new Set(
  "button,checkbox,combobox,link,listbox,menuitem,option,radio,searchbox,slider,spinbutton,switch,tab,textbox".split(
    ",",
  ),
);

/** Controls without an accessible name, by role. */
export async function namelessControls(page: Page): Promise<readonly string[]> {
  const parts = await readTree(page);
  return parts.filter(({ role, name }) => controls.has(role) && name.trim() === "").map(({ role }) => role);
}

/** Roles of containers, whose names distinguish controls of one name. */
const surroundings: ReadonlySet<string> = new Set(
  "dialog,alertdialog,form,group,radiogroup,row,region,navigation,banner,tabpanel,figure,article,listitem".split(","),
);

/**
 * Controls with the role and name of another one in the same container, such as a form's group or a table's row, which screen
 * reader users cannot distinguish. Excludes options of a list, and links, which may have one target.
 */
export async function sharedNames(page: Page): Promise<readonly string[]> {
  const parts = await readWholeTree(page);
  const byId = new Map(parts.map((part) => [part.id, part]));
  const places = parts
    .filter(({ role, isIgnored }) => !isIgnored && controls.has(role) && role !== "option" && role !== "link")
    .map((part) => [...surroundingsOf(part, byId), `${part.role} ${part.name}`].join(" > "));
  return [...new Set(places.filter((place, at) => places.indexOf(place) !== at))];
}

/** Open dialogs without a name. */
export async function namelessDialogs(page: Page): Promise<readonly string[]> {
  const parts = await readTree(page);
  return parts.filter(({ role, name }) => role.endsWith("dialog") && name.trim() === "").map(({ role }) => role);
}

/** From the outermost on. */
function surroundingsOf(part: TreePart, byId: ReadonlyMap<string, TreePart>): readonly string[] {
  const around = part.parentId === undefined ? undefined : byId.get(part.parentId);
  if (around === undefined) return [];
  const outer = surroundingsOf(around, byId);
  // A row is identified by its cells, which are read with it.
  const name = around.role === "row" ? around.id : around.name;
  return surroundings.has(around.role) ? [...outer, `${around.role} ${name}`] : outer;
}

/** Headings more than one level below the previous one; the first of a page must have level 1. */
export async function skippingHeadings(page: Page): Promise<readonly string[]> {
  const headings = (await readTree(page)).filter(({ role }) => role === "heading");
  const skipping = headings.filter(({ level = 0 }, at) => level > (headings[at - 1]?.level ?? 0) + 1);
  return skipping.map(({ name, level }) => `${level}: ${name}`);
}

/** Excludes ignored nodes. */
async function readTree(page: Page): Promise<readonly TreePart[]> {
  return (await readWholeTree(page)).filter(({ isIgnored }) => !isIgnored);
}

async function readWholeTree(page: Page): Promise<readonly TreePart[]> {
  const session = await page.context().newCDPSession(page);
  const tree: unknown = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const { nodes } = tree as { readonly nodes: readonly RawPart[] };
  return nodes.map(partOf);
}

function partOf({ nodeId, parentId, ignored, role, name, properties = [] }: RawPart): TreePart {
  const level = properties.find((each) => each.name === "level")?.value.value;
  return {
    id: nodeId,
    parentId,
    isIgnored: ignored,
    role: role?.value ?? "",
    name: name?.value ?? "",
    level: typeof level === "number" ? level : undefined,
  };
}

import type { Page } from "playwright-core";

/** A part of a page as screen readers have it. */
interface TreePart {
  readonly role: string;
  readonly name: string;
  /** Present for headings. */
  readonly level: number | undefined;
}

interface RawPart {
  readonly ignored: boolean;
  readonly role?: { readonly value?: string };
  readonly name?: { readonly value?: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value?: unknown } }[];
}

/** Roles of what a person can operate. */
const controls: ReadonlySet<string> = new Set(
  "button,checkbox,combobox,link,listbox,menuitem,option,radio,searchbox,slider,spinbutton,switch,tab,textbox".split(
    ",",
  ),
);

/** Controls that Chromium gives to screen readers without a name, by their roles. */
export async function namelessControls(page: Page): Promise<readonly string[]> {
  const parts = await readTree(page);
  return parts.filter(({ role, name }) => controls.has(role) && name.trim() === "").map(({ role }) => role);
}

/** Headings of a page that are more than one level below the one before; the first of a page is of level 1. */
export async function skippingHeadings(page: Page): Promise<readonly string[]> {
  const headings = (await readTree(page)).filter(({ role }) => role === "heading");
  const skipping = headings.filter(({ level = 0 }, at) => level > (headings[at - 1]?.level ?? 0) + 1);
  return skipping.map(({ name, level }) => `${level}: ${name}`);
}

async function readTree(page: Page): Promise<readonly TreePart[]> {
  const session = await page.context().newCDPSession(page);
  const tree: unknown = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const { nodes } = tree as { readonly nodes: readonly RawPart[] };
  return nodes.filter(({ ignored }) => !ignored).map(partOf);
}

function partOf({ role, name, properties = [] }: RawPart): TreePart {
  const level = properties.find((each) => each.name === "level")?.value.value;
  return { role: role?.value ?? "", name: name?.value ?? "", level: typeof level === "number" ? level : undefined };
}

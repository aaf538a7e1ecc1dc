import type { Locator } from "playwright-core";

/** Fills a form's empty required fields. @returns the texts in its required fields */
export async function fillRequired(dialog: Locator): Promise<readonly string[]> {
  await dialog.locator("form").waitFor();
  await choose(dialog);
  await addTarget(dialog);
  for (const field of await requiredFields(dialog)) {
    if ((await field.inputValue()) === "") await field.fill("https://example.com/x");
  }
  return await readRequired(dialog);
}

/** The texts in a form's required fields. */
export async function readRequired(dialog: Locator): Promise<readonly string[]> {
  const fields = await requiredFields(dialog);
  return await Promise.all(fields.map(async (field) => await field.inputValue()));
}

async function requiredFields(dialog: Locator): Promise<readonly Locator[]> {
  return await dialog.locator("input:required:not([type=checkbox]), textarea:required").all();
}

/** Selects the first scope of an issuer, and the first event of a webhook. */
async function choose(dialog: Locator): Promise<void> {
  const scope = dialog.getByRole("checkbox").first();
  if ((await scope.count()) > 0) await scope.check();
  const events = dialog.getByRole("combobox", { name: "Events" });
  if ((await events.count()) === 0 || (await dialog.locator(".mantine-MultiSelect-pill").count()) > 0) return;
  await events.click();
  await events.page().getByRole("option").first().click();
  // Otherwise the list covers the form.
  await events.press("Tab");
}

/** Adds a target to an endpoint of a model project. */
async function addTarget(dialog: Locator): Promise<void> {
  const add = dialog.getByRole("button", { name: "Add target" });
  const provider = dialog.getByRole("combobox", { name: "Provider 1" });
  if ((await add.count()) === 0 || (await provider.count()) > 0) return;
  await add.click();
  await provider.fill("mock");
  await dialog.getByRole("textbox", { name: "Model 1" }).fill("m");
}

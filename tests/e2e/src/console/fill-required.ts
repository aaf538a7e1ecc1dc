import type { Locator } from "playwright-core";

/** Fills what a form needs and is empty. @returns the texts that stand in its required fields then */
export async function fillRequired(dialog: Locator): Promise<readonly string[]> {
  await dialog.locator("form").waitFor();
  await choose(dialog);
  await addTarget(dialog);
  for (const field of await requiredFields(dialog)) {
    if ((await field.inputValue()) === "") await field.fill("https://example.com/x");
  }
  return await readRequired(dialog);
}

/** The texts that stand in a form's required fields now. */
export async function readRequired(dialog: Locator): Promise<readonly string[]> {
  const fields = await requiredFields(dialog);
  return await Promise.all(fields.map(async (field) => await field.inputValue()));
}

async function requiredFields(dialog: Locator): Promise<readonly Locator[]> {
  return await dialog.locator("input:required:not([type=checkbox]), textarea:required").all();
}

/** Scopes of an issuer, and events of a webhook: the first of each. */
async function choose(dialog: Locator): Promise<void> {
  const scope = dialog.getByRole("checkbox").first();
  if ((await scope.count()) > 0) await scope.check();
  const events = dialog.getByRole("combobox", { name: "Events" });
  if ((await events.count()) === 0 || (await dialog.locator(".mantine-MultiSelect-pill").count()) > 0) return;
  await events.click();
  await events.page().getByRole("option").first().click();
  // Else the list stays open over the form.
  await events.press("Tab");
}

/** Adds a target to an endpoint that calls models. */
async function addTarget(dialog: Locator): Promise<void> {
  const add = dialog.getByRole("button", { name: "Add target" });
  const provider = dialog.getByRole("combobox", { name: "Provider 1" });
  if ((await add.count()) === 0 || (await provider.count()) > 0) return;
  await add.click();
  await provider.fill("mock");
  await dialog.getByRole("textbox", { name: "Model 1" }).fill("m");
}

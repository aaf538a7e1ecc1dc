import type { Locator } from "playwright-core";

/** Fills what a form needs and is empty. @returns what stands in these fields then */
export async function fillRequired(dialog: Locator): Promise<readonly string[]> {
  await dialog.locator("form").waitFor();
  const first = dialog.getByRole("checkbox").first();
  if ((await first.count()) > 0 && (await first.getAttribute("role")) !== "switch") await first.check();
  const addTarget = dialog.getByRole("button", { name: "Add target" });
  if ((await addTarget.count()) > 0 && (await dialog.getByRole("combobox", { name: "Provider 1" }).count()) === 0) {
    await addTarget.click();
    await dialog.getByRole("combobox", { name: "Provider 1" }).fill("mock");
    await dialog.getByRole("textbox", { name: "Model 1" }).fill("m");
  }
  const fields = await dialog.locator("input:required:not([type=checkbox]), textarea:required").all();
  for (const field of fields) {
    if ((await field.inputValue()) !== "") continue;
    if ((await field.getAttribute("aria-haspopup")) === "listbox") await chooseFirst(field);
    else await field.fill("https://example.com/x");
  }
  return await Promise.all(fields.map(async (field) => await field.inputValue()));
}

/** Of what a field proposes; a text where it takes any. */
async function chooseFirst(field: Locator): Promise<void> {
  await field.click();
  const option = field.page().getByRole("option").first();
  await option.click();
  // Else the list stays open over the form.
  await field.press("Tab");
}
